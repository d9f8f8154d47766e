//= termination fails
int main() {
    int n = nondet(), m = nondet(), v1 = n, v2 = 0;
    while (v1 > 0) {
        if (v2 < m) { v2++; v1--; }
        else v2 = 0;
    }
}
