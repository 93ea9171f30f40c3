// SPDX-License-Identifier: Apache-2.0

// Starts and ends, linked with all libraries, those too that vernier loads with the first picture
// or workbook: what the loader alone costs.
int main(void)
{
    return 0;
}
