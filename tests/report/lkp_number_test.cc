#include "services/report/lkp_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace regressd::report {
namespace {

// Expected texts of this file: lkp.md 3.6 and 3.7, and rows of LKP's own output in the golden
// tables (named fmt_NN in case 04-number-formats).

TEST(FormatFixedTest, RoundsNearTiesToTheEvenDigitLikeRuby) {
  EXPECT_EQ(FormatFixed(0.35, 1), "0.4");    // C: 0.3.
  EXPECT_EQ(FormatFixed(0.45, 1), "0.4");    // C: 0.5.
  EXPECT_EQ(FormatFixed(2.675, 2), "2.68");  // C: 2.67.
  EXPECT_EQ(FormatFixed(100.25, 1), "100.2");
}

TEST(FormatFixedTest, RoundsEverythingElseLikeC) {
  // Python 3.11: "%.1f" % x.
  EXPECT_EQ(FormatFixed(0.34, 1), "0.3");
  EXPECT_EQ(FormatFixed(0.36, 1), "0.4");
  EXPECT_EQ(FormatFixed(-99.96, 1), "-100.0");
  EXPECT_EQ(FormatFixed(0.0, 2), "0.00");
  EXPECT_EQ(FormatFixed(0.04, 0), "0");
  EXPECT_EQ(FormatFixed(1e-300, 2), "0.00");
}

TEST(FormatFixedTest, CarriesATieIntoANewDigit) {
  EXPECT_EQ(FormatFixed(9.95, 1), "10.0");
  EXPECT_EQ(FormatFixed(-9.95, 1), "-10.0");
}

TEST(FormatMeanTest, ShowsTwoDecimalsBelowAThousand) {
  EXPECT_EQ(FormatMean(999.99), "    999.99");
  EXPECT_EQ(FormatMean(0), "      0.00");
  EXPECT_EQ(FormatMean(-5.5), "     -5.50");
  // fmt_01: below 1000, yet printed as 1000.00.
  EXPECT_EQ(FormatMean(999.999), "   1000.00");
}

TEST(FormatMeanTest, CutsWholeNumbersTowardsZero) {
  EXPECT_EQ(FormatMean(1000.9), "      1000");
  EXPECT_EQ(FormatMean(-1235.7), "     -1235");
  EXPECT_EQ(FormatMean(99999999.9), "  99999999");
  EXPECT_EQ(FormatMean(1e8), " 100000000");
}

TEST(FormatMeanTest, ShowsFourDigitsAboveAHundredMillion) {
  EXPECT_EQ(FormatMean(100000001), "     1e+08");
  EXPECT_EQ(FormatMean(3.25e15), "  3.25e+15");
  EXPECT_EQ(FormatMean(-1.25e9), " -1.25e+09");
  EXPECT_EQ(FormatMean(4.722e10), " 4.722e+10");
}

TEST(FormatMeanTest, KeepsTrailingZerosOfATieAsRubyDoes) {
  EXPECT_EQ(FormatMean(669050000), " 6.690e+08");  // C: 6.69e+08.
  EXPECT_EQ(FormatMean(669150000), " 6.692e+08");
}

TEST(FormatMeanTest, SaysInfinity) {
  EXPECT_EQ(FormatMean(std::numeric_limits<double>::infinity()), "       Inf");
}

TEST(FormatChangeTest, HasOneDecimalAndASign) {
  EXPECT_EQ(FormatChange(22.3, false), "     +22.3% ");
  EXPECT_EQ(FormatChange(-0.04, false), "      -0.0% ");
  EXPECT_EQ(FormatChange(-10.5, true), "     -10.5  ");
  EXPECT_EQ(FormatChange(0.35, true), "      +0.4  ");  // fmt_43%.
}

TEST(FormatChangeTest, TurnsScientificAtAHundredThousand) {
  EXPECT_EQ(FormatChange(99999.9, false), "  +99999.9% ");
  EXPECT_EQ(FormatChange(100100, false), "    +1e+05% ");      // fmt_13.
  EXPECT_EQ(FormatChange(216567, false), "  +2.2e+05% ");      // fmt_06.
  EXPECT_EQ(FormatChange(2.1504e106, false), " +2.2e+106% ");  // 05-zeros-missing-all.
  EXPECT_EQ(FormatChange(1e8, true), "    +1e+08  ");          // fmt_41%.
  EXPECT_EQ(FormatChange(std::numeric_limits<double>::infinity(), false), "      +Inf% ");
}

TEST(FormatStddevTest, IsBlankUpToTwoPercent) {
  EXPECT_EQ(FormatStddev(100, 2), "      ");
  EXPECT_EQ(FormatStddev(100, 2.01), " ±  2%");  // fmt_32.
  EXPECT_EQ(FormatStddev(100, 12.99), " ± 12%");
  EXPECT_EQ(FormatStddev(250.75, 433), " ±172%");
}

TEST(FormatStddevTest, WidensAtAThousandPercent) { EXPECT_EQ(FormatStddev(1, 15.5), " ±1550%"); }

TEST(FormatStddevTest, KeepsLkpsOddities) {
  // 07-single-run-all: the mark -1 of a single value over a small negative mean.
  EXPECT_EQ(FormatStddev(-1, -1), " ±100%");
  EXPECT_EQ(FormatStddev(-0.25, -1), " ±400%");
  EXPECT_EQ(FormatStddev(-60, -1), "      ");
  // 05-zeros-missing-all: values 5 -5 5 -5 show their bare stddev.
  EXPECT_EQ(FormatStddev(0, 5), " ±  5%");
  EXPECT_EQ(FormatStddev(-100, 50), "      ");
}

TEST(FormatReproductionTest, HasWholePercents) {
  EXPECT_EQ(FormatReproduction(-25), "       -25% ");
  EXPECT_EQ(FormatReproduction(100.0 * 5 / 6), "        83% ");
}

TEST(LkpMeanTest, KeepsWhatAPlainSumLoses) {
  // Python 3.11: math.fsum([1e16, 1, -1e16, 1]) / 4; sum() gives 0.25 in 3.11.
  EXPECT_EQ(LkpMean(std::vector{1e16, 1.0, -1e16, 1.0}), 0.5);
  EXPECT_EQ(LkpMean({}), std::nullopt);
}

TEST(LkpStddevTest, DividesByTheNumberOfValues) {
  // Python 3.11: statistics.pstdev([2, 4, 4, 4, 5, 5, 7, 9]); stdev would give 2.138.
  EXPECT_DOUBLE_EQ(LkpStddev(std::vector{2., 4., 4., 4., 5., 5., 7., 9.}, 5), 2.0);
}

}  // namespace
}  // namespace regressd::report
