/* Loops that global variables count, inside what is not interrupted, and variables of other proctypes. */
#define N 3

byte i, sum, started;
byte cells[N];

proctype worker(byte number)
{	byte turns;

	do
	:: turns < 2 -> turns++; cells[number] = turns
	:: else -> break
	od
}

active proctype adder()
{	byte total;

	d_step {
		i = 0;
		do
		:: i < N -> sum = sum + cells[i]; i++
		:: else -> break
		od
	}
	total = sum;
	assert(total <= 2 * N)
}

active proctype watcher()
{
	(adder:total > 1 || sum < 2);
	skip
}

init
{
	do
	:: started < N - 1 -> run worker(started); started++
	:: else -> break
	od
}
