// SPDX-License-Identifier: Apache-2.0
// vernier version: what a report of a defect has to say of the program.
#include <cJSON.h>
#include <cairo.h>
#include <expat.h>
#include <pango/pango.h>
#include <png.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <xlsxwriter.h>
#include <yaml.h>
#include <zip.h>
#include <zlib.h>

#include "base/words.h"
#include "commands/command_table.h"
#include "commands/machinery/commands.h"
#include "renderers/renderer.h"

static void print_libraries(void)
{
    const struct {
        const char *name, *version;
    } libraries[] = {
        {"cairo", cairo_version_string()},    {"pango", pango_version_string()},
        {"libpng", png_get_libpng_ver(NULL)}, {"cJSON", cJSON_Version()},
        {"libxlsxwriter", lxw_version()},     {"libyaml", yaml_get_version_string()},
        {"libzip", zip_libzip_version()},     {"expat", XML_ExpatVersion()},
        {"sqlite", sqlite3_libversion()},     {"zlib", zlibVersion()},
    };
    printf("%s", tr("libraries:"));
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const char *version = libraries[i].version;
        if (strncmp(version, "expat_", 6) == 0)
            version += 6;
        printf("%s %s %s", i ? "," : "", libraries[i].name, version);
    }
    putchar('\n');
}

int command_version(bool verbose)
{
    puts("vernier " VERNIER_VERSION);
    if (!verbose)
        return 0;
    printf(tr("commit: %s\n"), VERNIER_COMMIT);
    print_libraries();
    printf("%s", tr("formats:"));
    for (size_t i = 0; renderers[i]; i++)
        printf(" %s", renderers[i]->name);
    for (size_t i = 0; data_formats[i]; i++)
        printf(" %s", data_formats[i]);
    putchar('\n');
    puts(tr("licence: Apache-2.0; those of the libraries and fonts are in their packages"));
    return 0;
}
