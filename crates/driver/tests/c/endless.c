//= termination fails
int main() {
    while (1) ;
    return 0;
}
