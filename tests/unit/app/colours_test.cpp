// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/colours.h"

#include <QStringList>
#include <QTest>
#include <algorithm>
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
