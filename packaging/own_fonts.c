// SPDX-License-Identifier: Apache-2.0
// Fonts inside the program: fontconfig, FreeType and HarfBuzz open them by a name that is no file. Linked with
// --wrap of open, open64 and access, which needs neither /proc nor a folder for temporary files.
#include "renderers/own_fonts.h"

#include <fcntl.h>
#include <fontconfig/fontconfig.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#define PREFIX "vernier-font:"

// No conf.d of the machine: what it prefers would change the pictures.
static const char configuration[] =
    "<fontconfig>"
    "<dir>/usr/share/fonts</dir><dir>/usr/local/share/fonts</dir>"
    "<dir prefix=\"xdg\">fonts</dir><dir>~/.fonts</dir>"
    "<cachedir>/var/cache/fontconfig</cachedir><cachedir prefix=\"xdg\">fontconfig</cachedir>"
#define NAMED(part, family)                                                                \
    "<match target=\"scan\"><test name=\"file\" compare=\"contains\"><string>" PREFIX part \
    "</string></test><edit name=\"family\" mode=\"assign\"><string>" family                \
    "</string></edit></match>"
    NAMED("sans", "Vernier Sans") NAMED("mono", "Vernier Mono") NAMED("chinese", "Vernier Chinese")
#undef NAMED
#define FIRST(wanted, family)                                                                   \
    "<match target=\"pattern\"><test qual=\"first\" name=\"family\"><string>" wanted            \
    "</string></test><edit name=\"family\" mode=\"prepend\" binding=\"strong\"><string>" family \
    "</string><string>Vernier Chinese</string></edit></match>"
        FIRST("Inter", "Vernier Sans") FIRST("JetBrains Mono", "Vernier Mono")
            FIRST("sans-serif", "Vernier Sans") FIRST("monospace", "Vernier Mono")
#undef FIRST
                "</fontconfig>";

static const char *const names[] = {PREFIX "sans0", PREFIX "sans1",    PREFIX "mono2",
                                    PREFIX "mono3", PREFIX "chinese4", PREFIX "chinese5"};

static void configure(void)
{
    FcConfig *config = FcConfigCreate();
    const FcChar8 *text = (const FcChar8 *)configuration;
    if (!config || !FcConfigParseAndLoadFromMemory(config, text, FcTrue))
        return;
    FcConfigBuildFonts(config);
    for (size_t i = 0; i < own_font_count; i++)
        FcConfigAppFontAddFile(config, (const FcChar8 *)names[i]);
    FcConfigSetCurrent(config);
    FcConfigDestroy(config);
}

void own_fonts_use(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, configure);
}

// A file without a name that holds the font, or -1 (kernels before 3.17: the machine's fonts then).
static int open_font(const OwnFont *font)
{
    int file = memfd_create("font", MFD_CLOEXEC);
    size_t done = 0;
    while (file >= 0 && done < font->size) {
        ssize_t some = write(file, font->data + done, font->size - done);
        if (some <= 0) {
            close(file);
            return -1;
        }
        done += (size_t)some;
    }
    if (file >= 0)
        lseek(file, 0, SEEK_SET);
    return file;
}

// Whether `path` is one of the fonts; then `file` is its descriptor or -1.
static bool is_font(const char *path, int *file)
{
    if (strncmp(path, PREFIX, sizeof PREFIX - 1) != 0)
        return false;
    *file = -1;
    for (size_t i = 0; i < own_font_count; i++)
        if (strcmp(names[i], path) == 0)
            *file = open_font(&own_fonts[i]);
    return true;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
    int file;
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return is_font(path, &file) ? file : __real_open(path, flags, mode);
}

int __wrap_open64(const char *path, int flags, ...)
{
    int file;
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return is_font(path, &file) ? file : __real_open64(path, flags, mode);
}

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);

int __wrap_access(const char *path, int mode)
{
    return strncmp(path, PREFIX, sizeof PREFIX - 1) == 0 ? 0 : __real_access(path, mode);
}
