//= termination holds
int main() {
    int x = nondet();
    while (x != 0) {
        if (x < 10) { x = x - 1; if (x < 0) x = 0; }
        else if (x > 10) x = x + -1;
        else x = 9;
    }
}
