// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/colours.h"

#include <QStringList>
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>

using namespace divisi::model;

namespace {

/// Of sRGB, as WCAG 2.1 defines it.
double luminance(const QColor& colour) {
    const auto linear = [](double part) {
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

double contrast(const QColor& text, const QColor& ground) {
    const QColor seen = mixed(ground, text, text.alphaF());
    const auto [low, high] = std::minmax({luminance(seen), luminance(ground)});
    return (high + 0.05) / (low + 0.05);
}

const Colours* themes[] = {&dark_colours(), &light_colours()};

/// Collects the pairs that are too weak.
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
    void the_measure_is_that_of_wcag() {
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
            judge.read(colours->on_accent, colours->accent);
            judge.read(colours->text, chosen_ground(*colours));
            judge.read(colours->text, done_ground(*colours));
        }
        QVERIFY2(judge.weak.isEmpty(), qPrintable(judge.weak.join(u'\n')));
    }

    void segments_can_be_read_and_told() {
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

    void a_scale_brightens_for_every_eye() {
        // Of linear RGB without one kind of cone: Machado, Oliveira and Fernandes, IEEE TVCG 15(6), 2009, severity 1.
        using Matrix = std::array<std::array<double, 3>, 3>;
        const Matrix eyes[] = {
            {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
            {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
            {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
            {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}};
        const auto linear = [](double part) {
            return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
        };
        constexpr double weight[] = {0.2126, 0.7152, 0.0722};
        for (const Matrix& eye : eyes) {
            const auto seen = [&](double place) {
                const QColor colour = heat_colour(place);
                const double light[] = {linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())};
                double sum = 0;
                for (std::size_t row = 0; row < 3; ++row) {
                    double part = 0;
                    for (std::size_t column = 0; column < 3; ++column) part += eye[row][column] * light[column];
                    sum += weight[row] * std::clamp(part, 0.0, 1.0);
                }
                return sum;
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

    void what_is_drawn_can_be_seen() {
        Judge judge;
        for (const Colours* colours : themes) {
            for (const QColor& ground : {colours->ground, colours->surface}) {
                judge.see(colours->edge, ground);
                judge.see(colours->faint, ground);  // the frames of check boxes
                judge.see(colours->accent, ground);
            }
        }
        QVERIFY2(judge.weak.isEmpty(), qPrintable(judge.weak.join(u'\n')));
    }
};

QTEST_MAIN(ColoursTest)
#include "colours_test.moc"
