//= termination holds
/* Ben-Amram Genaim, multi-phase */
int main() {
    int x1 = nondet(), x2 = nondet(), x3 = nondet();
    while (x1 >= -x3) {
        x1 = x1 + x2;
        x2 = x2 + x3;
        x3 = x3 - 1;
    }
}
