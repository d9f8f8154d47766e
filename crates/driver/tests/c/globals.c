//= termination holds
int g = 5, h;
static int s;
void step(void) { g--; h++; s += h; }
int main(void) {
    while (g > 0) step();
    return 0;
}
