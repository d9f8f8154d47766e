//= termination holds
int main() {
    unsigned short s = __VERIFIER_nondet_ushort();
    while (s != 0) s = s >> 1;
    return 0;
}
