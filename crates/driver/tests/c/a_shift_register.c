//= termination holds
int main() { unsigned int lfsr = 0xACE1u; unsigned bit, period = 0; do { bit = lfsr & 1; lfsr = lfsr >> 1; if (bit) lfsr = lfsr ^ 0xB400u; ++period; } while (lfsr != 0xACE1u && period < 70000); }
