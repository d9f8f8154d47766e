//= termination holds
int main(int argc, char *argv[]) {
    int n = argc;
    while (n > 0)
        n--;
    return 0;
}
