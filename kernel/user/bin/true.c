/*
 * true.c - succeeds.  Also the smallest process there is, for counting what one costs.
 */

int main(void)
{
	return 0;
}
