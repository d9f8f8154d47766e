//= termination holds
int later(int);
int main() {
    int x = 10;
    while (x > 0) x = later(x);
    return 0;
}
int later(int y) { return y - 1; }
