// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/compare_menu.h"

#include <QMenu>
#include <QSignalSpy>

#include "tests/support/test_program.h"

namespace compare_menu_test {

using namespace divisi;
using charts::CompareMenu;

namespace {

const TaskId first("mlp-1"), second("mlp-2");

/// Returns the entry of the menu with this text.
QAction* entry(const CompareMenu& compare, const QString& text) {
    for (QAction* action : compare.menu()->actions())
        if (action->text() == text) return action;
    return nullptr;
}

}  // namespace

class CompareMenuTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void user_may_choose_several_tasks_or_none() {
        CompareMenu compare;
        const QSignalSpy changed(&compare, &CompareMenu::chosenChanged);
        compare.offer({first, second});
        QCOMPARE(compare.text(), QStringLiteral("no other task"));
        entry(compare, QStringLiteral("mlp-2"))->trigger();
        QCOMPARE(compare.chosen(), std::vector{second});
        QCOMPARE(compare.text(), QStringLiteral("mlp-2"));
        entry(compare, QStringLiteral("mlp-1"))->trigger();
        QCOMPARE(compare.chosen(), (std::vector{second, first}));
        QCOMPARE(compare.text(), QStringLiteral("2 other tasks"));
        entry(compare, QStringLiteral("mlp-2"))->trigger();
        QCOMPARE(compare.chosen(), std::vector{first});
        entry(compare, QStringLiteral("no other task"))->trigger();
        QVERIFY(compare.chosen().empty());
        QVERIFY(!entry(compare, QStringLiteral("mlp-1"))->isChecked());
        QCOMPARE(changed.size(), 4);
    }

    void offering_the_same_tasks_again_keeps_the_menu_entries() {
        CompareMenu compare;
        compare.offer({first, second});
        const QAction* before = entry(compare, QStringLiteral("mlp-1"));
        compare.offer({first, second});
        QCOMPARE(entry(compare, QStringLiteral("mlp-1")), before);
    }

    void a_task_that_is_no_longer_offered_is_not_chosen() {
        CompareMenu compare;
        const QSignalSpy changed(&compare, &CompareMenu::chosenChanged);
        compare.offer({first, second});
        compare.choose({first, second});
        compare.offer({second});
        QCOMPARE(compare.chosen(), std::vector{second});
        QVERIFY(entry(compare, QStringLiteral("mlp-2"))->isChecked());
        QCOMPARE(changed.size(), 0);  // the user has chosen nothing
    }

    void chosen_tasks_stay_checked_in_another_language() {
        CompareMenu compare;
        compare.offer({first, second});
        compare.choose({first});
        compare.retranslate();
        QVERIFY(compare.menu()->isEmpty());
        compare.offer({first, second});
        QVERIFY(entry(compare, QStringLiteral("mlp-1"))->isChecked());
        QVERIFY(!entry(compare, QStringLiteral("mlp-2"))->isChecked());
    }
};

DIVISI_WINDOW_TEST(CompareMenuTest)

}  // namespace compare_menu_test

#include "compare_menu_test.moc"
