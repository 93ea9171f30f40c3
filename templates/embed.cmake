# Writes FILES as C arrays to OUT: see templates.h.
set(code "// SPDX-License-Identifier: Apache-2.0\n#include \"templates/templates.h\"\n")
set(table "")
set(number 0)
foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "(................................................................................)"
        "\\1\n" bytes "${bytes}")
    string(APPEND code "static const unsigned char bytes_${number}[] = {\n${bytes}0};\n")
    string(APPEND table
        "    {\"${name}\", (const char *)bytes_${number}, sizeof bytes_${number} - 1},\n")
    math(EXPR number "${number} + 1")
endforeach()
string(APPEND code "const Template templates[] = {\n${table}    {0},\n};\n")
file(WRITE ${OUT} "${code}")
