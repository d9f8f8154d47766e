//= termination fails
int main() {
    unsigned char i;
    for (i = 0; i < 256; i++) ;
    return 0;
}
