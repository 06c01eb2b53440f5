// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/colours.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/support/test_program.h"

namespace colours_test {

using namespace divisi::model;

namespace {

double linear(double part) { return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4); }

/// Returns the luminance of an sRGB colour, as defined by WCAG 2.1.
double luminance(const QColor& colour) {
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

double contrast(const QColor& text, const QColor& ground) {
    const QColor seen = mixed(ground, text, text.alphaF());
    const auto [low, high] = std::minmax({luminance(seen), luminance(ground)});
    return (high + 0.05) / (low + 0.05);
}

// Matrices for linear RGB that simulate eyes that lack one kind of cone: Machado, Oliveira and Fernandes, IEEE TVCG
// 15(6), 2009, severity 1.
using Matrix = std::array<std::array<double, 3>, 3>;
constexpr Matrix eyes[] = {
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}};

/// Returns the linear RGB of a colour as the eye that a matrix simulates sees it.
std::array<double, 3> seen_by(const Matrix& eye, const QColor& colour) {
    const double light[] = {linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())};
    std::array<double, 3> parts{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) parts[row] += eye[row][column] * light[column];
        parts[row] = std::clamp(parts[row], 0.0, 1.0);
    }
    return parts;
}

/// Returns the distance of two colours for the simulated eye: CIE 1976, in L*a*b* under D65. A distance of 2.3 is
/// barely noticeable.
double distance(const Matrix& eye, const QColor& a, const QColor& b) {
    const auto lab = [&](const QColor& colour) {
        const auto [r, g, u] = seen_by(eye, colour);
        const auto root = [](double part) { return part > 0.008856 ? std::cbrt(part) : 7.787 * part + 16.0 / 116; };
        const double x = root((0.4124 * r + 0.3576 * g + 0.1805 * u) / 0.95047);
        const double y = root(0.2126 * r + 0.7152 * g + 0.0722 * u);
        const double z = root((0.0193 * r + 0.1192 * g + 0.9505 * u) / 1.08883);
        return std::array{116 * y - 16, 500 * (x - y), 200 * (y - z)};
    };
    const auto one = lab(a), other = lab(b);
    return std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

const Colours* themes[] = {&dark_colours(), &light_colours()};

/// Collects pairs of colours with too little contrast.
struct Judge {
    QStringList weak;

    void read(const QColor& text, const QColor& ground) { hold(text, ground, 4.5); }
    void see(const QColor& shape, const QColor& ground) { hold(shape, ground, 3); }
    void hold(const QColor& over, const QColor& ground, double least) {
        const double ratio = contrast(over, ground);
        if (ratio < least)
            weak
                << QStringLiteral("%1 on %2: %3 : 1, not %4 : 1").arg(over.name(), ground.name()).arg(ratio).arg(least);
    }
};

}  // namespace

class ColoursTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void contrast_is_computed_as_in_wcag() {
        QCOMPARE(contrast(Qt::white, Qt::black), 21.0);
        QVERIFY(qAbs(contrast(QColor("#777777"), Qt::white) - 4.48) < 0.01);
    }

    void text_can_be_read() {
        Judge judge;
        for (const Colours* colours : themes) {
            for (const QColor& ground : {colours->ground, colours->surface, colours->raised}) {
                for (const QColor& text : {colours->text, colours->faint, colours->accent, colours->good,
                                           colours->warning, colours->bad, disabled_text(*colours)})
                    judge.read(text, ground);
            }
            for (const QColor& text :
                 {colours->text, colours->faint, colours->accent, colours->good, colours->warning, colours->bad})
                judge.read(text, marked_ground(*colours));
            judge.read(colours->on_accent, colours->accent);
            judge.read(colours->text, chosen_ground(*colours));
            judge.read(colours->text, done_ground(*colours));
        }
        QVERIFY2(judge.weak.isEmpty(), qPrintable(judge.weak.join(u'\n')));
    }

    void segments_are_readable_and_distinct() {
        Judge judge;
        for (const Colours* colours : themes) {
            for (int segment = 0; segment < 8; ++segment) {
                judge.read(segment_colour(segment, *colours), colours->ground);
                judge.read(colours->text, painted_ground(segment, *colours));
                judge.read(colours->faint, painted_ground(segment, *colours));
            }
        }
        QVERIFY2(judge.weak.isEmpty(), qPrintable(judge.weak.join(u'\n')));
    }

    void segments_stay_distinct_for_colour_blind_eyes() {
        for (const Colours* colours : themes)
            for (const Matrix& eye : eyes)
                for (int one = 0; one < 8; ++one)
                    for (int other = 0; other < one; ++other) {
                        const QColor a = segment_colour(one, *colours), b = segment_colour(other, *colours);
                        const double apart = distance(eye, a, b);
                        QVERIFY2(apart > 9,
                                 qPrintable(QStringLiteral("%1 and %2: %3").arg(a.name(), b.name()).arg(apart)));
                        QVERIFY(segment_pattern(one) != segment_pattern(other));
                    }
    }

    void scale_gets_brighter_also_for_colour_blind_people() {
        for (const Matrix& eye : eyes) {
            const auto seen = [&](double place) {
                const auto [red, green, blue] = seen_by(eye, heat_colour(place));
                return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
            };
            for (int step = 0; step < 20; ++step) QVERIFY(seen((step + 1) / 20.0) > seen(step / 20.0));
            for (int quarter = 0; quarter < 4; ++quarter)
                QVERIFY((seen((quarter + 1) / 4.0) + 0.05) / (seen(quarter / 4.0) + 0.05) > 1.6);
        }
    }

    void text_on_a_scale_can_be_read() {
        Judge judge;
        for (int step = 0; step <= 100; ++step) {
            const QColor ground = heat_colour(step / 100.0);
            judge.read(text_on(ground), ground);
        }
        QVERIFY2(judge.weak.isEmpty(), qPrintable(judge.weak.join(u'\n')));
    }

    void painted_colours_are_visible() {
        Judge judge;
        for (const Colours* colours : themes) {
            for (const QColor& ground : {colours->ground, colours->surface}) {
                judge.see(colours->edge, ground);
                judge.see(colours->faint, ground);  // frames of check boxes
                judge.see(colours->accent, ground);
            }
        }
        QVERIFY2(judge.weak.isEmpty(), qPrintable(judge.weak.join(u'\n')));
    }
};

DIVISI_WINDOW_TEST(ColoursTest)

}  // namespace colours_test

#include "colours_test.moc"
