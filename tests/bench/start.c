// SPDX-License-Identifier: Apache-2.0

// Starts and ends, linked with the libraries that vernier is linked with: what the loader alone
// costs.
int main(void)
{
    return 0;
}
