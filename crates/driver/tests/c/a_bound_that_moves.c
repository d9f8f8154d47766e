//= termination holds
int main() {
    int x = nondet(), y = nondet(), z = nondet();
    while (x < y) {
        if (x < z) x++;
        else z++;
    }
}
