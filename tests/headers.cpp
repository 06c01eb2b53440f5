// SPDX-License-Identifier: Apache-2.0
// Stands for the tests where their common headers are precompiled; never linked.
int main() { return 0; }
