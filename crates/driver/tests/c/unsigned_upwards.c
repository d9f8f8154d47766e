//= termination holds
int main() {
    unsigned int x = __VERIFIER_nondet_uint();
    while (x != 0) x = x + 1;
    return 0;
}
