//= termination holds
int main() {
    int s = 0, n = nondet();
    for (;;) {
        switch (s) {
        case 0: n--;
        case 1: if (n > 0) { s = 2; break; }
        case 2: if (n > 10) { s = 0; break; } s = 3; break;
        case 3: default: return 0;
        }
    }
}
