// SPDX-License-Identifier: GPL-3.0-or-later
// The offer to measure unmeasured prices. The program that measures is one of the test's own: what the real one stores
// is tested with it.
#include <QFile>
#include <QPushButton>
#include <QToolButton>

#include "app/panels/measure_bar.h"
#include "backend/store/profile_store.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"

using namespace divisi;

namespace {

const char* task_text = "[model]\nzoo = \"mlp\"\n[data]\nkind = \"synthetic\"\nsamples = 64\n[train]\nbatch = 8\n";

/// A window with an unmeasured task, and a bar of its own that starts `script`.
struct MeasureWindow {
    QTemporaryDir data;
    QByteArray before = qgetenv("DIVISI_DATA");
    std::unique_ptr<testing::Console> console;
    std::unique_ptr<panels::MeasureBar> bar;

    explicit MeasureWindow(const QByteArray& script, client::Client* cluster = nullptr) {
        qputenv("DIVISI_DATA", data.path().toUtf8());
        console = std::make_unique<testing::Console>(cluster);
        const QString program = console->write("measure", ("#!/bin/sh\n" + script).constData());
        QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        console->window->open_path(console->write("task.toml", task_text));
        const bool priced =
            QTest::qWaitFor([&] { return board().prices() && board().prices()->ok() && !board().busy(); }, 20'000);
        if (!priced) qFatal("no prices");
        bar = std::make_unique<panels::MeasureBar>(console->window->draft(), board(), cluster, program.toStdString());
    }
    ~MeasureWindow() {
        bar.reset();
        console.reset();
        if (before.isNull()) qunsetenv("DIVISI_DATA");
        else qputenv("DIVISI_DATA", before);
    }
    model::PriceBoard& board() { return console->window->prices(); }
    QPushButton& button(const char* name) { return *bar->findChild<QPushButton*>(QString::fromLatin1(name)); }
    QString message() { return bar->findChild<QLabel*>(QStringLiteral("measureMessage"))->text(); }
    void press(const char* name) { button(name).click(); }
};

}  // namespace

class MeasureTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void the_window_offers_it_for_unmeasured_prices() {
        MeasureWindow window("exit 0\n");
        auto* bar = window.console->find<QFrame>("measureBar");
        QTRY_VERIFY(bar->isVisible());
        window.console->shot("measure-offer");
    }

    void it_tells_how_far_it_is_and_can_be_cancelled() {
        MeasureWindow window("echo '{\"event\":\"operator\"}'\necho '{\"event\":\"operator\"}'\nexec sleep 600\n");
        QVERIFY(!window.bar->isHidden());
        window.press("measureNow");
        QTRY_VERIFY(window.message().contains(QStringLiteral("2 done")));
        QVERIFY(window.button("measureNow").isHidden());
        window.press("measureCancel");
        QVERIFY(!window.button("measureNow").isHidden());
        QVERIFY(window.message().contains(QStringLiteral("estimates")));
    }

    void what_it_measures_is_the_task_on_screen() {
        MeasureWindow window("here=$(dirname \"$0\")\ncp \"$2\" \"$here/seen.toml\"\necho \"$@\" > \"$here/words\"\n");
        window.press("measureNow");
        QFile words(window.console->folder.filePath(QStringLiteral("words")));
        QTRY_VERIFY(words.size() > 0);
        QVERIFY(words.open(QIODevice::ReadOnly));
        const QByteArray said = words.readAll();
        QVERIFY2(said.startsWith("profile ") && said.contains("--device cpu") && said.contains(store::profile_file),
                 said.constData());
        QFile seen(window.console->folder.filePath(QStringLiteral("seen.toml")));
        QVERIFY(seen.open(QIODevice::ReadOnly));
        QVERIFY(seen.readAll().contains("zoo = \"mlp\""));
    }

    void a_failure_says_why() {
        MeasureWindow window("echo 'error: no room on the disk' >&2\nexit 1\n");
        window.press("measureNow");
        QTRY_VERIFY2(window.message().contains(QStringLiteral("no room on the disk")), qPrintable(window.message()));
        QVERIFY(!window.button("measureNow").isHidden());
    }

    void a_task_that_trains_is_not_slowed_down() {
        testing::ScriptedClient cluster;
        MeasureWindow window("exit 0\n", &cluster);
        QVERIFY(window.button("measureNow").isEnabled());
        const TaskId task("other-1");
        cluster.tell(control::TaskSubmitted{task, "other", "", "", "", {}, "operator", 0});
        cluster.tell(control::PhaseChanged{task, control::TaskPhase::exchange, ""});
        Q_EMIT cluster.dataChanged();
        QVERIFY(!window.button("measureNow").isEnabled());
        QVERIFY(window.button("measureNow").toolTip().contains(QStringLiteral("running")));
    }

    void who_does_not_want_it_is_not_asked_again() {
        MeasureWindow window("exit 0\n");
        QVERIFY(!window.bar->isHidden());
        window.bar->findChild<QToolButton*>()->click();
        QVERIFY(window.bar->isHidden());
        window.console->document().add_cut(0);
        QVERIFY(QTest::qWaitFor([&] { return !window.board().busy(); }, 20'000));
        QVERIFY(window.bar->isHidden());
    }
};

QTEST_MAIN(MeasureTest)
#include "measure_test.moc"
