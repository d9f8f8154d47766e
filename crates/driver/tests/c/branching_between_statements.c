//= ctl holds
// -ctl "EF{AND{x == 1}{y == 1}}"
int main() {
    int x = 0, y = 1;
    while (1) { x = 1 - x; y = 1 - y; }
    return 0;
}
