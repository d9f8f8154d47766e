//= ctl holds
// -ctl "AF{done: true}"
int main() {
    int x = ?;
    while (x > 0) x--;
done:
    return 0;
}
