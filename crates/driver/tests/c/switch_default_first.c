//= termination fails
int main() {
    int s = __VERIFIER_nondet_int();
    for (;;) {
        switch (s) {
        default: s = 1; break;
        case 1: s = 2; continue;
        case 2: s = 1;
        }
        if (s > 5) return 0;
    }
}
