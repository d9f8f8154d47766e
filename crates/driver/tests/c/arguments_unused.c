//= termination fails
int main(int argc, char **argv) {
    int n = 3;
    while (n != 0) {
        n = n - 2;
    }
    return n;
}
