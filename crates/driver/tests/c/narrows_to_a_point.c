//= termination fails
// More than two hundred rounds lead to a state that stays.
int main() {
    int i = __VERIFIER_nondet_int(), range = 20;
    while (0 <= i && i <= range) {
        if (!(0 == i && i == range)) {
            if (i == range) {
                i = 0;
                range = range - 1;
            } else
                i = i + 1;
        }
    }
    return 0;
}
