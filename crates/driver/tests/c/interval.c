//= ctl holds
// -ctl "AF{x >= 3}"
void main() {
    int x = [0, 2];
    while (x < 3) x = x + 1;
}
