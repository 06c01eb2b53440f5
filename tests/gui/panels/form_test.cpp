// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the task form: what an edit changes, what it leaves alone, and how the form follows an opened file.
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMap>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>

#include "app/model/wording/zoo_text.h"
#include "app/panels/forms/field_text.h"
#include "backend/task/parse.h"
#include "tests/gui/console.h"
#include "tests/gui/onnx_files.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace form_test {

using namespace divisi;
using model::Cuts;

namespace {

const char* exact_text = R"(
[task]
name = "exact"
[model]
zoo = "gpt"
layers = 2
width = 32
heads = 2
context = 16
[data]
kind = "csv"
path = "table.csv"
targets = ["price, net", "size"]
[train]
batch = 8
microbatches = 4
lr = 0.1234567890123
weight_decay = 0.1000000000000000055511151231257827
epsilon = 1.0000000000000002e-8
seed = 9223372036854775807
[split]
cuts = ["/layers/0/Add"]
)";

struct FormConsole : testing::Console {
    using Console::Console;

    bool open_text(const char* text) {
        const QString path = write("task.toml", text);
        return loads([&] { window->open_path(path); });
    }
    bool open_zoo(const char* name) {
        return loads([&] {
            model::ModelSource source;
            source.zoo = name;
            window->open_model(source);
        });
    }
    QLineEdit& line(const char* key) { return *find<QLineEdit>(key); }
    void type(const char* key, const char* text) {
        line(key).setFocus();
        line(key).selectAll();
        QTest::keyClicks(&line(key), QString::fromLatin1(text));
    }
    bool settle() {
        return QTest::qWaitFor(
            [&] {
                const auto& board = window->context().prices;
                return !window->context().pool.busy() && !board.busy() && board.prices() && board.prices()->ok() &&
                       board.prices()->cuts == cuts() && window->context().draft.shows_model();
            },
            20'000);
    }
    double step_ms() { return window->context().prices.prices()->prediction.step_ms; }
};

}  // namespace

class FormTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void edit_changes_only_its_own_field();
    void field_keeps_what_is_typed();
    void fields_and_cuts_share_one_undo();
    void unreadable_text_can_be_undone();
    void edit_of_steps_or_name_does_not_change_the_price_data();
    void edit_of_steps_or_name_does_not_change_the_price();
    void edit_keeps_zoom_focus_and_undo();
    void changed_model_sizes_keep_the_cuts_and_can_be_undone();
    void another_model_chosen_in_the_form_can_be_undone();
    void form_shows_the_opened_model_or_task();
    void task_cannot_be_run_without_an_open_model();
    void new_task_is_unsaved_and_keeps_the_model();
    void form_shows_few_fields_first();
    void every_field_has_a_help_text();
};

void FormTest::edit_changes_only_its_own_field() {
    FormConsole console;
    QVERIFY(console.open_text(exact_text));
    const task::TaskSpec before = console.window->context().draft.spec();
    console.type("train.steps", "77");
    task::TaskSpec after = console.window->context().draft.spec();
    QCOMPARE(after.train.steps, std::int64_t{77});
    after.train.steps = before.train.steps;
    QVERIFY(after == before);
    QCOMPARE(console.line("train.lr").text(), QStringLiteral("0.1234567890123"));
    QCOMPARE(console.line("data.targets").text(), QStringLiteral("\"price, net\", size"));
    // The value survives printing and parsing.
    const auto again = task::parse_task(console.window->context().draft.text().toStdString(), "again");
    QVERIFY(again.ok());
    QCOMPARE(again->train.lr, before.train.lr);
    QCOMPARE(again->train.epsilon, before.train.epsilon);
    QCOMPARE(again->train.seed, before.train.seed);
    QCOMPARE(again->data.targets, before.data.targets);
}

void FormTest::field_keeps_what_is_typed() {
    FormConsole console;
    QVERIFY(console.open_text(exact_text));
    console.type("train.lr", "1e-3");
    QCOMPARE(console.line("train.lr").text(), QStringLiteral("1e-3"));
    QCOMPARE(console.window->context().draft.spec().train.lr, 0.001);
    console.type("train.steps", "5");
    QCOMPARE(console.line("train.lr").text(), QStringLiteral("1e-3"));
    console.type("data.targets", "a, \"b,c\"");
    QCOMPARE(console.window->context().draft.spec().data.targets, (std::vector<std::string>{"a", "b,c"}));
    QCOMPARE(console.line("data.targets").text(), QStringLiteral("a, \"b,c\""));
}

void FormTest::fields_and_cuts_share_one_undo() {
    FormConsole console;
    QVERIFY(console.open_text(exact_text));
    const Cuts cuts = console.cuts();
    console.type("train.steps", "250");
    console.view().setFocus();
    QTest::keyClick(&console.view(), Qt::Key_Tab);
    QTest::keyClick(&console.view(), Qt::Key_Down);
    console.type("train.clip", "1.5");
    QCOMPARE(console.document().undo_stack().count(), 3);
    // While a line has the focus, the window's shortcuts still work.
    QVERIFY(console.line("train.clip").hasFocus());
    QTest::keyClick(&console.line("train.clip"), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(console.line("train.clip").text(), QStringLiteral("0"));
    QVERIFY(console.cuts() != cuts);
    QTest::keyClick(&console.line("train.clip"), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(console.cuts(), cuts);
    QTest::keyClick(&console.line("train.clip"), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(console.line("train.steps").text(), QStringLiteral("100"));
    QVERIFY(!console.window->context().draft.modified());
    QTest::keyClick(&console.line("train.clip"), Qt::Key_Y, Qt::ControlModifier);
    QCOMPARE(console.line("train.steps").text(), QStringLiteral("250"));
    auto* optimizer = console.find<QComboBox>("train.optimizer");
    optimizer->setFocus();
    QTest::keyClick(optimizer, Qt::Key_Down);
    QCOMPARE(console.window->context().draft.spec().train.optimizer, std::string("adamw"));
    QTest::keyClick(optimizer, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(optimizer->currentText(), QStringLiteral("sgd"));
}

void FormTest::unreadable_text_can_be_undone() {
    FormConsole console;
    QVERIFY(console.open_text(exact_text));
    console.type("train.batch", "eight");
    QVERIFY(!testing::WindowParts::task_form(*console.window).valid());
    QCOMPARE(console.window->context().draft.spec().train.batch, std::int64_t{8});
    QTest::keyClick(&console.line("train.batch"), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(console.line("train.batch").text(), QStringLiteral("8"));
    QVERIFY(testing::WindowParts::task_form(*console.window).message("train.batch").isEmpty());
    QTest::keyClick(&console.line("train.batch"), Qt::Key_Y, Qt::ControlModifier);
    QCOMPARE(console.line("train.batch").text(), QStringLiteral("eight"));
}

void FormTest::edit_of_steps_or_name_does_not_change_the_price_data() {
    QTest::addColumn<QString>("model");
    QTest::newRow("gpt of the zoo") << QStringLiteral("gpt");
    QTest::newRow("lenet of the zoo") << QStringLiteral("lenet");
    QTest::newRow("a file for any batch") << QStringLiteral("any.onnx");
    QTest::newRow("a file for batches of 3") << QStringLiteral("three.onnx");
}

void FormTest::edit_of_steps_or_name_does_not_change_the_price() {
    QFETCH(const QString, model);
    FormConsole console;
    if (model.endsWith(QStringLiteral(".onnx"))) {
        const QString path = console.folder.filePath(model);
        testing::write_lenet(path, model.startsWith(QStringLiteral("three")) ? 3 : 0);
        console.window->open_path(path);
    } else {
        QVERIFY(console.open_zoo(model.toLatin1().constData()));
    }
    QVERIFY(QTest::qWaitFor([&] { return console.document().model() != nullptr; }, 20'000));
    QVERIFY(console.settle());
    const double opened_ms = console.step_ms();
    QSignalSpy read_again(&console.window->context().opener.loader(), &model::ModelLoader::started);
    console.type("train.steps", "5");
    console.type("task.name", "other");
    QTest::qWait(600);  // longer than the delay before a model is read again
    QVERIFY(console.settle());
    QCOMPARE(console.step_ms(), opened_ms);
    QVERIFY(read_again.isEmpty());
}

void FormTest::edit_keeps_zoom_focus_and_undo() {
    FormConsole console;
    QVERIFY(console.open_zoo("gpt"));
    console.view().setFocus();
    QTest::keyClick(&console.view(), Qt::Key_D, Qt::ControlModifier);  // adds a cut
    QTest::keyClick(&console.view(), Qt::Key_Down);
    console.view().camera().zoom_in();
    console.view().camera().zoom_in();
    const double zoom = console.view().camera().zoom();
    const QPointF corner = console.view().mapToScene(QPoint());
    const std::size_t blocks = console.view().layout().blocks().size();
    const Cuts cuts = console.cuts();
    const int steps = console.document().undo_stack().count();
    for (const char* key : {"train.batch", "model.width"}) {
        const model::ModelPtr before = console.document().model();
        console.line(key).setFocus();
        console.line(key).selectAll();
        QTest::keyClicks(&console.line(key), key[0] == 't' ? QStringLiteral("32") : QStringLiteral("96"));
        const QLineEdit* edited = &console.line(key);
        QVERIFY(QTest::qWaitFor([&] { return console.document().model() != before; }, 20'000));
        QVERIFY(console.window->context().draft.shows_model());
        QCOMPARE(&console.line(key), edited);
        QVERIFY(console.line(key).hasFocus());
        QCOMPARE(console.view().camera().zoom(), zoom);
        QVERIFY((console.view().mapToScene(QPoint()) - corner).manhattanLength() < 2);
        QCOMPARE(console.view().layout().blocks().size(), blocks);
        QCOMPARE(console.cuts(), cuts);
        QCOMPARE(console.view().cut_focus().cut(), 0);
    }
    QCOMPARE(console.document().undo_stack().count(), steps + 2);
    for (int i = 0; i < steps + 2; ++i) QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(console.cuts(), Cuts{});
    QVERIFY(console.window->context().draft.shows_model());
}

void FormTest::changed_model_sizes_keep_the_cuts_and_can_be_undone() {
    FormConsole console;
    QVERIFY(console.open_text(exact_text));
    const model::ModelPtr two = console.document().model();
    const std::vector<std::string> names = console.document().cut_names();
    console.type("model.layers", "4");
    QVERIFY(QTest::qWaitFor([&] { return console.document().model() != two; }, 20'000));
    QVERIFY(console.document().model()->node_count() > two->node_count());
    QCOMPARE(console.document().cut_names(), names);
    QTest::keyClick(&console.line("model.layers"), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(console.document().model(), two);
    QCOMPARE(console.line("model.layers").text(), QStringLiteral("2"));
    QVERIFY(!console.window->context().draft.modified());
    QTest::keyClick(&console.line("model.layers"), Qt::Key_Y, Qt::ControlModifier);
    QVERIFY(console.document().model() != two);
    QVERIFY(console.window->context().draft.shows_model());
}

void FormTest::another_model_chosen_in_the_form_can_be_undone() {
    FormConsole console;
    QVERIFY(console.open_text(exact_text));
    const model::ModelPtr gpt = console.document().model();
    const Cuts cuts = console.cuts();
    auto* zoo = console.find<QComboBox>("model.zoo");
    zoo->setFocus();
    QTest::keyClicks(zoo, QStringLiteral("len"));
    QVERIFY(QTest::qWaitFor([&] { return console.document().model() != gpt; }, 20'000));
    QCOMPARE(console.document().model()->source.zoo, std::string("lenet"));
    QVERIFY(console.cuts().empty());
    QTest::keyClick(zoo, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(console.document().model(), gpt);
    QCOMPARE(console.cuts(), cuts);
    QCOMPARE(zoo->currentText(), QStringLiteral("gpt"));
}

void FormTest::form_shows_the_opened_model_or_task() {
    FormConsole console;
    const auto rows = [&] {
        QCoreApplication::processEvents();  // lets added rows appear
        QStringList keys;
        for (const auto* editor : testing::WindowParts::task_form(*console.window).findChildren<QWidget*>())
            if (editor->isVisibleTo(&testing::WindowParts::task_form(*console.window)) &&
                editor->objectName().contains(u'.') && !editor->objectName().endsWith(QStringLiteral(".message")))
                keys << editor->objectName();
        return keys;
    };
    QVERIFY(console.open_text(exact_text));
    QVERIFY(console.open_zoo("lenet"));
    QCOMPARE(console.line("task.name").text(), QStringLiteral("lenet"));
    QCOMPARE(console.find<QSpinBox>("stages")->value(), 2);
    QVERIFY(rows().contains(QStringLiteral("model.image")) && !rows().contains(QStringLiteral("model.context")));
    console.shot("form-lenet");
    console.find<QSpinBox>("stages")->setValue(4);
    console.action("equal")->trigger();
    const QString path = console.folder.filePath(QStringLiteral("my net.onnx"));
    testing::write_lenet(path, 0);
    QVERIFY(console.loads([&] {
        console.window->open_path(path);
        auto* box = console.find<QMessageBox>("unsavedDialog");
        QTest::mouseClick(box->button(QMessageBox::Discard), Qt::LeftButton);
    }));
    console.shot("form-onnx");
    QCOMPARE(console.line("task.name").text(), QStringLiteral("my-net"));
    QCOMPARE(console.line("model.onnx").text(), path);
    QCOMPARE(console.find<QComboBox>("model.zoo")->currentText(), QStringLiteral("ONNX file"));
    QCOMPARE(console.find<QSpinBox>("stages")->value(), 2);
    QVERIFY(console.cuts().empty());
    QVERIFY(console.window->context().draft.path().isEmpty());
    const QStringList shown = rows();
    for (const char* key : {"model.onnx", "model.symbols", "model.inputs", "model.output", "model.frozen", "data.kind",
                            "data.samples", "train.steps", "split.schedule", "place.threads"})
        QVERIFY2(shown.contains(QString::fromLatin1(key)), key);
    QVERIFY(!shown.contains(QStringLiteral("model.image")));
    // After opening a zoo model again, all its rows are back.
    QVERIFY(console.open_zoo("lenet"));
    QVERIFY(rows().contains(QStringLiteral("model.image")) && !rows().contains(QStringLiteral("model.onnx")));
}

void FormTest::task_cannot_be_run_without_an_open_model() {
    testing::ScriptedClient cluster;
    FormConsole console(&cluster);
    cluster.connect_to(QStringLiteral("lab"));
    auto* run = console.find<QPushButton>("runTask");
    QVERIFY(!run->isEnabled());
    QVERIFY(console.find<QLabel>("formSummary")->text().contains(QStringLiteral("No model is open")));
    console.shot("form-nothing-open");
    QTest::mouseClick(run, Qt::LeftButton);
    QTest::keyClick(console.window.get(), Qt::Key_F5);
    QVERIFY(cluster.all<client::SubmitText>().empty());
    // Editing the task opens no model.
    console.type("train.batch", "32");
    QTest::qWait(600);
    QVERIFY(!console.document().model());
    QVERIFY(!run->isEnabled());
    // Choosing the model opens it and keeps the values typed before.
    auto* zoo = console.find<QComboBox>("model.zoo");
    zoo->setFocus();
    QTest::keyClicks(zoo, QStringLiteral("len"));
    QVERIFY(QTest::qWaitFor([&] { return console.document().model() != nullptr; }, 20'000));
    QCOMPARE(console.window->context().draft.spec().train.batch, std::int64_t{32});
    QVERIFY(run->isEnabled());
    QTest::mouseClick(run, Qt::LeftButton);
    QVERIFY(cluster.last<client::SubmitText>().text.contains(QStringLiteral("zoo = \"lenet\"")));
}

void FormTest::new_task_is_unsaved_and_keeps_the_model() {
    FormConsole console;
    QVERIFY(console.open_text(exact_text));
    QTest::keyClick(console.window.get(), Qt::Key_N, Qt::ControlModifier);
    QVERIFY(console.line("task.name").hasFocus());
    QCOMPARE(console.line("task.name").text(), QStringLiteral("gpt"));
    QVERIFY(console.window->context().draft.path().isEmpty());
    QVERIFY(console.document().model());
    QVERIFY(console.window->context().draft.shows_model());
    QVERIFY(console.cuts().empty());
    QVERIFY(!console.window->context().draft.modified());
}

void FormTest::form_shows_few_fields_first() {
    FormConsole console;
    panels::TaskForm& form = testing::WindowParts::task_form(*console.window);
    form.set_all(false);
    QCoreApplication::processEvents();
    for (const char* key : {"task.name", "train.steps", "train.batch", "train.lr"})
        QVERIFY2(console.line(key).isVisible(), key);
    for (const char* key : {"model.zoo", "data.kind"}) QVERIFY2(console.find<QComboBox>(key)->isVisible(), key);
    const auto folded = [&](const char* key) { return !console.find<QWidget>(key)->isVisible(); };
    for (const char* key : {"model.layers", "train.weight_decay", "train.optimizer", "split.schedule"})
        QVERIFY2(folded(key), key);
    const auto* help = console.find<QLabel>("train.lr.help");
    QVERIFY(help->isVisible());
    QVERIFY2(help->text().contains(QStringLiteral("0.001")), qPrintable(help->text()));
    QVERIFY2(help->text().endsWith(QStringLiteral("from 0")), qPrintable(help->text()));
    console.shot("form-few");
    auto* more = console.find<QPushButton>("allFields");
    QCOMPARE(more->text(), QStringLiteral("All fields"));
    more->click();
    for (const char* key : {"model.layers", "train.weight_decay", "train.optimizer", "split.schedule"})
        QVERIFY2(!folded(key), key);
    QVERIFY(help->isVisible());
    QVERIFY(console.settings.value(QStringLiteral("all_fields")).toBool());
    // A field with an error is shown, and stays visible while it is corrected.
    const QString right = console.line("train.microbatches").text();
    console.type("train.microbatches", "x");
    more->click();
    QVERIFY(!console.settings.value(QStringLiteral("all_fields")).toBool());
    QVERIFY(!folded("train.microbatches") && folded("train.weight_decay"));
    QVERIFY(!form.message("train.microbatches").isEmpty());
    console.type("train.microbatches", qPrintable(right));
    QTRY_VERIFY(form.message("train.microbatches").isEmpty());
    QVERIFY(!folded("train.microbatches"));
    console.window.reset();
    console.open();
    QVERIFY(folded("train.microbatches"));
}

/// Each field has a help text in both languages, with the range if it is a number. The text is visible without a
/// hovering pointer.
void FormTest::every_field_has_a_help_text() {
    FormConsole console;
    QVERIFY(console.open_zoo("gpt"));
    QCoreApplication::processEvents();  // lets added rows appear
    QStringList keys;
    for (const panels::TaskField& field : panels::task_fields()) keys << QString::fromLatin1(field.key);
    for (const graph::ZooModel& zoo : graph::zoo_models())
        if (zoo.name == "gpt")
            for (const graph::ZooSize& size : zoo.sizes)
                keys << QStringLiteral("model.") + QString::fromStdString(size.name);
    const auto help = [&](const QString& key) {
        return console.find<QLabel>(qPrintable(key + QStringLiteral(".help")));
    };
    for (const char* key : {"train.steps", "train.weight_decay", "data.kind", "model.layers"})
        QVERIFY2(help(QString::fromLatin1(key))->isVisible(), key);
    QMap<QString, QString> english;
    for (const QString& key : keys) english[key] = help(key)->text();
    console.action("chinese")->trigger();
    QCoreApplication::processEvents();
    static const QRegularExpression chinese(QStringLiteral("[\u4e00-\u9fff]")), digit(QStringLiteral("\\d"));
    for (const QString& key : keys) {
        const QString text = help(key)->text();
        QVERIFY2(!english[key].isEmpty() && english[key] != text, qPrintable(key));
        QVERIFY2(text.contains(chinese), qPrintable(key + QStringLiteral(": ") + text));
        if (panels::field_range(key.toStdString()))
            QVERIFY2(english[key].contains(QStringLiteral("Range: ")) && text.contains(digit), qPrintable(text));
    }
    for (const graph::ZooModel& zoo : graph::zoo_models()) {
        QVERIFY2(model::zoo_meaning(zoo).contains(chinese), zoo.meaning.c_str());
        for (const graph::ZooSize& size : zoo.sizes) {
            QVERIFY2(model::zoo_size_name(size).contains(chinese), size.name.c_str());
            QVERIFY2(model::zoo_size_help(size).contains(chinese), size.meaning.c_str());
        }
    }
    QVERIFY2(help(QStringLiteral("train.steps"))->text().endsWith(QStringLiteral("\u6b65")),
             qPrintable(help(QStringLiteral("train.steps"))->text()));
    console.shot("form-help-chinese");
    console.action("english")->trigger();
    QVERIFY(english[QStringLiteral("train.steps")].endsWith(QStringLiteral("1 to 1,000,000,000 steps")));
    QTRY_COMPARE(help(QStringLiteral("train.steps"))->text(), english[QStringLiteral("train.steps")]);
}

DIVISI_WINDOW_TEST(FormTest)

}  // namespace form_test

#include "form_test.moc"
