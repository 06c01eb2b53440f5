// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the parts of presenter mode without a window: scenario notes, steps, keys and its option.
#include <QFile>
#include <QKeyEvent>

#include "app/model/wording/text_scale.h"
#include "app/shell/presenting/presenter.h"
#include "app/shell/presenting/step_control.h"
#include "tests/support/test_program.h"

namespace presenting_test {

using namespace divisi;
using shell::GuideFacts;
using shell::Scenario;
using shell::StepControl;

namespace {

const QString text_with_notes = QStringLiteral(
    "title = A\n"
    "[step]\ntitle = B\nnotes = one\nnote = seen\nnotes = two\nnotes[zh_CN] = \u4e00\nuntil = model\n"
    "[step]\ntitle = C\nnotes = three\nuntil = cut_moved\n"
    "[step]\ntitle = D\n");

Scenario read(const QString& language = {}) {
    Result<Scenario> scenario = shell::parse_scenario(text_with_notes, language);
    if (!scenario.ok()) qFatal("%s", scenario.error().message().c_str());
    return *std::move(scenario);
}

QString keys(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    return shell::shown_keys(QKeyEvent(QEvent::KeyPress, key, modifiers));
}

}  // namespace

class PresentingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void notes_are_separate_lines() {
        const Scenario english = read();
        QCOMPARE(english.steps.size(), 3u);
        QCOMPARE(english.steps[0].notes, QStringLiteral("one\ntwo"));
        QCOMPARE(english.steps[0].note, QStringLiteral("seen"));
        QCOMPARE(english.steps[1].notes, QStringLiteral("three"));
        QVERIFY(english.steps[2].notes.isEmpty());
    }

    void translated_notes_replace_all_lines() {
        const Scenario chinese = read(QStringLiteral("zh_CN"));
        QCOMPARE(chinese.steps[0].notes, QStringLiteral("\u4e00"));
        QCOMPARE(chinese.steps[1].notes, QStringLiteral("three"));  // not translated
    }

    void notes_belong_to_a_step() {
        const auto wrong = shell::parse_scenario(QStringLiteral("title = A\nnotes = B\n[step]\ntitle = C\n"), {});
        QVERIFY(!wrong.ok() && wrong.error().where == "line 2");
    }

    void the_shipped_scenarios_have_notes_in_both_languages() {
        for (const QString& name : shell::scenario_names()) {
            QFile file(QStringLiteral(":/scenarios/%1.txt").arg(name));
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(name));
            const QString text = QString::fromUtf8(file.readAll());
            const auto english = shell::parse_scenario(text, QStringLiteral("en_US"));
            const auto chinese = shell::parse_scenario(text, QStringLiteral("zh_CN"));
            QVERIFY(english.ok() && chinese.ok());
            for (std::size_t i = 0; i < english->steps.size(); ++i) {
                const QString &one = english->steps[i].notes, &other = chinese->steps[i].notes;
                QVERIFY2(!one.isEmpty() && one != other, qPrintable(english->steps[i].title));
                QCOMPARE(one.count(u'\n'), other.count(u'\n'));
            }
        }
    }

    void step_is_done_by_events_after_its_start() {
        StepControl steps;
        QVERIFY(!steps.under_way() && !steps.current() && !steps.next() && !steps.last());
        GuideFacts now;
        steps.begin(read(), now);
        QVERIFY(steps.under_way() && steps.first() && !steps.done());
        QCOMPARE(steps.count(), 3);
        QCOMPARE(steps.next()->title, QStringLiteral("C"));
        now.model = true;
        now.cuts = {4};
        steps.update(now);
        QVERIFY(steps.done());
        steps.go(1, now);
        QVERIFY(!steps.done());  // the cut was already there
        now.cuts = {5};
        steps.update(now);
        QVERIFY(steps.done());
        now.cuts = {4};
        steps.update(now);
        QVERIFY(steps.done());  // the cut has been moved
        steps.go(0, now);
        QVERIFY(steps.done());  // a model is already open
    }

    void presentation_ends_after_its_last_step() {
        StepControl steps;
        steps.begin(read(), {});
        steps.go(2, {});
        QVERIFY(steps.last() && !steps.next());
        QCOMPARE(steps.current()->title, QStringLiteral("D"));
        steps.go(3, {});
        QVERIFY(!steps.under_way());
        QCOMPARE(steps.step(), -1);
        steps.begin(read(), {});
        steps.go(-1, {});
        QVERIFY(!steps.under_way());
    }

    void change_of_language_keeps_the_step() {
        StepControl steps;
        steps.begin(read(), {});
        GuideFacts now;
        now.model = true;
        steps.update(now);
        steps.reword(read(QStringLiteral("zh_CN")));
        QCOMPARE(steps.step(), 0);
        QVERIFY(steps.done());
        QCOMPARE(steps.current()->notes, QStringLiteral("\u4e00"));
    }

    void scenarios_are_found_by_their_names() {
        QCOMPARE(shell::find_scenario(QStringLiteral("Break-A-Link")), QStringLiteral("break-a-link"));
        QVERIFY(!shell::find_scenario(QStringLiteral("break")));
        QVERIFY(!shell::find_scenario({}));
    }

    void option_works_without_a_value() {
        const auto with = [](const char* line) {
            return shell::with_present_value(QString::fromLatin1(line).split(u' ')).join(u' ');
        };
        QCOMPARE(with("divisi --present"), QStringLiteral("divisi --present="));
        QCOMPARE(with("divisi --present break-a-link"), QStringLiteral("divisi --present break-a-link"));
        QCOMPARE(with("divisi --present nonsense --lang en"), QStringLiteral("divisi --present nonsense --lang en"));
        QCOMPARE(with("divisi --present --lang en"), QStringLiteral("divisi --present= --lang en"));
        QCOMPARE(with("divisi --present lab.divisirec"), QStringLiteral("divisi --present= lab.divisirec"));
        QCOMPARE(with("divisi --present zoo:gpt"), QStringLiteral("divisi --present= zoo:gpt"));
        QCOMPARE(with("divisi --present=cut-and-train a.toml"),
                 QStringLiteral("divisi --present=cut-and-train a.toml"));
        QCOMPARE(with("divisi -- --present"), QStringLiteral("divisi -- --present"));
    }

    void keys_are_shown_but_typed_text_is_not() {
        QCOMPARE(keys(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier), QStringLiteral("Ctrl+Shift+P"));
        QCOMPARE(keys(Qt::Key_F5), QStringLiteral("F5"));
        QVERIFY(!keys(Qt::Key_PageDown, Qt::KeypadModifier).isEmpty());
        for (const int key : {Qt::Key_P, Qt::Key_1, Qt::Key_Space}) QVERIFY(keys(key).isEmpty());
        QVERIFY(keys(Qt::Key_P, Qt::ShiftModifier).isEmpty());
        for (const int key : {Qt::Key_Control, Qt::Key_Shift, Qt::Key_Alt}) QVERIFY(keys(key).isEmpty());
    }

    void time_is_shown_in_minutes() {
        QCOMPARE(shell::minutes_text(7), QStringLiteral("0:07"));
        QCOMPARE(shell::minutes_text(754), QStringLiteral("12:34"));
    }

    void painted_text_grows_with_the_text_scale() {
        QCOMPARE(model::scaled_px(11), 11);
        model::set_text_scale(1.5);
        QCOMPARE(model::scaled_px(11), 17);
        QCOMPARE(model::scaled(24), 36.0);
        model::set_text_scale(0.5);  // texts never shrink below their normal size
        QCOMPARE(model::scaled_px(11), 11);
        model::set_text_scale(1);
    }
};

DIVISI_WINDOW_TEST(PresentingTest)

}  // namespace presenting_test

#include "presenting_test.moc"
