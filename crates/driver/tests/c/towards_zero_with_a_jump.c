//= termination holds
// The distance to zero falls, but for one jump to the other side.
int main() {
    int i = __VERIFIER_nondet_int();
    while (i > 1 || i < -1) {
        i = -i;
        if (i > 0) i--;
        else i++;
        if (i == 7) i = 8;
    }
    return 0;
}
