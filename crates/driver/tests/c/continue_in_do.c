//= termination fails
int main() {
    int x = nondet();
    do { if (x == 0) continue; x = x > 0 ? x - 1 : x + 1; } while (x != 1);
    return 0;
}
