//= ctl fails
// -ctl "AG{EF{x == 3}}"
int main() {
    int x = 0;
    while (1) x++;
    return 0;
}
