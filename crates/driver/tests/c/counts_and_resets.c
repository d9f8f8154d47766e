//= termination holds
int main() {
    int n = nondet(), m = nondet(), v1 = n, v2 = 0;
    if (!(n > 0) || !(m > 0)) return 0;
    while (v1 > 0) {
        if (v2 < m) { v2++; v1--; }
        else v2 = 0;
    }
}
