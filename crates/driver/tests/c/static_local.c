//= termination holds
int next(void) {
    static int n = 3;
    return --n;
}
int main() {
    while (next() > 0) ;
    return 0;
}
