//= termination holds
int main() {
    volatile int x = 10;
    while (x > 0) x--;
    return 0;
}
