//= termination holds
int main() {
    int x = nondet(), y = nondet();
    if (x > y) goto B;
A:
    x++;
    if (x > 100) goto END;
B:
    y--;
    if (y > 0) goto A;
END:
    return 0;
}
