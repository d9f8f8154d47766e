//= ctl holds
/*
 * -ctl "AF{x < 0}"
 * -precondition "y < 0"
 */
int main() {
    int x, y;
    while (x >= 0) x = x + y;
    return 0;
}
