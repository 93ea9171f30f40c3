// SPDX-License-Identifier: Apache-2.0
#include "renderers/canvas_state.h"

void canvas_set_role(const Canvas *canvas, Role role, float opacity)
{
    uint32_t rgb = theme_rgb(canvas->theme, role, canvas->dark);
    double red = (rgb >> 16 & 0xFF) / 255.0;
    double green = (rgb >> 8 & 0xFF) / 255.0;
    double blue = (rgb & 0xFF) / 255.0;
    if (opacity > 0 && opacity < 1)
        cairo_set_source_rgba(canvas->cairo, red, green, blue, (double)opacity);
    else
        cairo_set_source_rgb(canvas->cairo, red, green, blue);
}
