// SPDX-License-Identifier: Apache-2.0
#include "read/log/table_cell.h"

#include <math.h>
#include <string.h>

bool table_cell_is_absent(Str cell)
{
    return STR_IN(cell, "", "-", "NA", "N/A", "None", "null", "NULL", "none", "No log");
}

// "tensor(1.5)", "tensor(1.5, device='cuda:0')", "[44.3]": the number inside.
static Str unwrap(Str cell)
{
    if (str_starts(cell, STR("tensor("))) {
        size_t comma = str_find_char(cell, ',', 7), stop = str_find_char(cell, ')', 7);
        stop = comma < stop ? comma : stop;
        return str_slice(cell, 7, stop < cell.size ? stop : cell.size);
    }
    if (cell.size > 2 && cell.data[0] == '[' && cell.data[cell.size - 1] == ']')
        return str_slice(cell, 1, cell.size - 1);
    return cell;
}

Str table_cell_without_thousands(Str cell, char room[TABLE_CELL_ROOM])
{
    size_t size = 0, digits = 0, groups = 0, at = 0;
    for (; at < cell.size && size < TABLE_CELL_ROOM - 1; at++) {
        char c = cell.data[at];
        bool digit = c >= '0' && c <= '9';
        if (!digit && (c != ',' || digits == 0 || digits > 3 || (groups && digits != 3)))
            break;
        digits = digit ? digits + 1 : 0;
        groups += !digit;
        if (digit)
            room[size++] = c;
    }
    Str rest = str_slice(cell, at, cell.size);
    if (groups == 0 || digits != 3 || room[0] == '0' || size + rest.size > TABLE_CELL_ROOM ||
        (rest.size && rest.data[0] != '.'))
        return cell;
    memcpy(room + size, rest.data, rest.size);
    return (Str){room, size + rest.size};
}

bool table_cell_figure(Str cell, bool decimal_comma, Figure *out)
{
    char room[TABLE_CELL_ROOM];
    cell = str_trim(cell);
    if (figure_of_text(cell, out))
        return true;
    cell = unwrap(cell);
    if (!decimal_comma)
        cell = table_cell_without_thousands(cell, room);
    if (decimal_comma && cell.size < sizeof room) {
        for (size_t i = 0; i < cell.size; i++)
            room[i] = cell.data[i] == ',' ? '.' : cell.data[i];
        cell.data = room;
    }
    bool good = figure_of_text(cell, out);
    out->text = cell.data == room ? NULL : out->text;
    return good;
}
