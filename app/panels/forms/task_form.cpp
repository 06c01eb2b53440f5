// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/forms/task_form.h"

#include <QCheckBox>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QScrollArea>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/model/wording/text_scale.h"
#include "app/model/wording/zoo_text.h"
#include "app/panels/forms/field_text.h"
#include "app/panels/tables/widget_role.h"
#include "backend/graph/zoo.h"
#include "backend/task/compile.h"
#include "backend/task/kinds.h"

namespace divisi::panels {
namespace {

/// Width of the labels, equal in both parts of the form so that the editors are aligned. A longer word makes the labels
/// wider.
constexpr int label_width = 144;
/// Minimum width of the form with labels of that width.
constexpr int form_width = 340;

/// Returns whether the field is always shown, because it is required or because nearly every user changes it.
bool comes_first(std::string_view key) {
    constexpr std::string_view first[] = {"task.name", "task.kind", "model.zoo",   "model.onnx",  "data.kind",
                                          "data.path", "train.lr",  "train.steps", "train.batch", "batch.output"};
    return std::ranges::find(first, key) != std::end(first);
}

void set_invalid(QWidget* editor, bool invalid) {
    if (editor->property("invalid").toBool() == invalid) return;
    editor->setProperty("invalid", invalid);
    editor->style()->unpolish(editor);
    editor->style()->polish(editor);
}

QString editor_text(const QWidget* editor) {
    if (const auto* line = qobject_cast<const QLineEdit*>(editor)) return line->text();
    if (const auto* box = qobject_cast<const QComboBox*>(editor)) return box->currentText();
    return static_cast<const QCheckBox*>(editor)->isChecked() ? QStringLiteral("true") : QString();
}

void set_editor_text(QWidget* editor, const QString& text) {
    if (auto* line = qobject_cast<QLineEdit*>(editor)) {
        if (line->text() == text) return;
        line->setText(text);
        line->setCursorPosition(0);  // show the beginning of a long path
    } else if (auto* box = qobject_cast<QComboBox*>(editor)) {
        if (box->findText(text) < 0) box->addItem(text);  // show the task file's value even if it is invalid
        box->setCurrentIndex(box->findText(text));
    } else {
        static_cast<QCheckBox*>(editor)->setChecked(!text.isEmpty());
    }
}

}  // namespace

TaskForm::TaskForm(model::TaskDraft& draft, model::GraphDocument& document, model::TaskCheck& check, QWidget* parent)
    : QWidget(parent),
      draft_(draft),
      document_(document),
      check_(check),
      form_(new QGridLayout),
      zoo_(new QComboBox(this)),
      size_box_(new QWidget(this)),
      size_form_(new QGridLayout),
      size_message_(new QLabel(this)),
      summary_(new QLabel(this)),
      more_(new QPushButton(this)),
      save_(new QPushButton(this)),
      run_(new QPushButton(this)) {
    setObjectName(QStringLiteral("taskForm"));
    build();
    connect(&draft_, &model::TaskDraft::specChanged, this, &TaskForm::show_spec);
    connect(&document_, &model::GraphDocument::modelChanged, this, &TaskForm::check);
    connect(&check_, &model::TaskCheck::changed, this, &TaskForm::check);
    connect(more_, &QPushButton::clicked, this, [this] {
        set_all(!shows_all_);
        Q_EMIT allChanged(shows_all_);
    });
    connect(save_, &QPushButton::clicked, this, &TaskForm::saveRequested);
    connect(run_, &QPushButton::clicked, this, &TaskForm::runRequested);
    show_spec();
    retranslate();
}

void TaskForm::build() {
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(16, 8, 16, 16);
    more_->setObjectName(QStringLiteral("allFields"));
    column->addLayout(form_);
    column->addSpacing(8);
    column->addWidget(more_, 0, Qt::AlignLeft);
    column->addStretch();
    form_->setHorizontalSpacing(16);
    form_->setVerticalSpacing(8);
    form_->setColumnStretch(1, 1);
    std::string_view section;
    for (const TaskField& field : task_fields()) {
        if (section != field.section) {
            add_heading(field.section);
            if (std::string_view(field.key).starts_with("model.")) build_model_section();
        }
        section = field.section;
        add_row(field.key, make_editor(field), &field, field.is_path);
    }
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(page);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(16, 8, 16, 16);
    buttons->setSpacing(8);
    summary_->setWordWrap(true);
    summary_->setObjectName(QStringLiteral("formSummary"));
    run_->setProperty("primary", true);
    run_->setObjectName(QStringLiteral("runTask"));
    save_->setObjectName(QStringLiteral("saveTask"));
    buttons->addWidget(summary_, 1);
    buttons->addWidget(save_);
    buttons->addWidget(run_);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(0);
    whole->addWidget(scroll, 1);
    whole->addLayout(buttons);
}

void TaskForm::build_model_section() {
    for (const graph::ZooModel& zoo : graph::zoo_models()) zoo_->addItem(QString::fromStdString(zoo.name));
    zoo_->addItem(QString());  // the entry for an ONNX file; retranslate() sets its text
    add_row("model.zoo", zoo_, nullptr, false);
    auto* sizes = new QVBoxLayout(size_box_);
    sizes->setContentsMargins(0, 0, 0, 0);
    sizes->setSpacing(8);
    size_form_->setHorizontalSpacing(16);
    size_form_->setVerticalSpacing(8);
    size_form_->setColumnStretch(1, 1);
    sizes->addLayout(size_form_);
    size_message_->setProperty("role", QStringLiteral("error"));
    size_message_->setWordWrap(true);
    size_message_->hide();
    sizes->addWidget(size_message_);
    form_->addWidget(size_box_, form_->rowCount(), 0, 1, 2);
    connect(zoo_, &QComboBox::activated, this, &TaskForm::choose_zoo);
}

/// Creates an editor for each size of the zoo model. The editors are kept while the model is the same.
void TaskForm::build_sizes() {
    if (sized_ == draft_.spec().model.zoo && !sizes_.empty()) return;
    sized_ = draft_.spec().model.zoo;
    for (const SizeRow& row : sizes_)
        for (QWidget* widget :
             {static_cast<QWidget*>(row.label), static_cast<QWidget*>(row.line), static_cast<QWidget*>(row.help)})
            delete widget;
    sizes_.clear();
    for (const graph::ZooModel& zoo : graph::zoo_models())
        if (zoo.name == sized_)
            for (const graph::ZooSize& size : zoo.sizes) add_size(size);
    name_sizes();
}

void TaskForm::add_size(const graph::ZooSize& size) {
    const QString key = QStringLiteral("model.") + QString::fromStdString(size.name);
    const SizeRow row{&size, new QLabel(size_box_), make_line(), new QLabel(size_box_)};
    row.line->setObjectName(key);
    connect(row.line, &QLineEdit::textEdited, this,
            [this, name = size.name](const QString& text) { edit_size(name, text); });
    row.label->setWordWrap(true);
    row.label->setBuddy(row.line);
    row.help->setObjectName(key + QStringLiteral(".help"));
    row.help->setProperty("role", QStringLiteral("faint"));
    row.help->setWordWrap(true);
    const int place = 2 * static_cast<int>(sizes_.size());
    size_form_->addWidget(row.label, place, 0);
    size_form_->addWidget(row.line, place, 1);
    size_form_->addWidget(row.help, place + 1, 1);
    sizes_.push_back(row);
}

void TaskForm::name_sizes() {
    for (const SizeRow& row : sizes_) {
        const QString help = model::zoo_size_help(*row.size);
        row.label->setText(model::zoo_size_name(*row.size));
        row.line->setToolTip(help);
        row.line->setAccessibleName(row.label->text());
        row.line->setAccessibleDescription(help);
        row.help->setText(help);
    }
    align_labels();
}

/// Makes all labels as wide as the longest word, because labels wrap only between words.
void TaskForm::align_labels() {
    std::vector<QWidget*> labels;
    for (const Row& row : rows_) labels.push_back(row.label);
    for (const SizeRow& row : sizes_) labels.push_back(row.label);
    const int usual = static_cast<int>(std::lround(label_width * model::text_scale()));
    int width = usual;
    for (const QWidget* label : labels) width = std::max(width, label->minimumSizeHint().width());
    for (QWidget* label : labels) label->setFixedWidth(width);
    setMinimumWidth(form_width + width - usual);  // wider labels do not make the editors narrower
}

void TaskForm::show_sizes() {
    build_sizes();
    const std::map<std::string, std::int64_t> values = draft_.wanted_model().sizes;
    for (const SizeRow& row : sizes_) {
        const auto unread = draft_.unread().find("model." + row.size->name);
        const auto value = values.find(row.size->name);
        if (unread != draft_.unread().end()) set_editor_text(row.line, unread->second);
        else if (value != values.end() && row.line->text().trimmed() != QString::number(value->second))
            set_editor_text(row.line, QString::number(value->second));
    }
}

void TaskForm::add_heading(const char* text) {
    auto* label = new QLabel(this);
    label->setProperty("role", QStringLiteral("heading"));
    label->setContentsMargins(0, headings_.empty() ? 0 : 16, 0, 0);
    form_->addWidget(label, form_->rowCount(), 0, 1, 2);
    headings_.emplace_back(label, text);
}

TaskForm::Row& TaskForm::add_row(const std::string& key, QWidget* editor, const TaskField* field, bool is_path) {
    Row row;
    row.key = key;
    row.field = field;
    row.editor = editor;
    row.heading = headings_.back().first;
    editor->setObjectName(QString::fromStdString(key));
    row.label = new QLabel(this);
    row.label->setWordWrap(true);
    row.label->setContentsMargins(0, 6, 0, 0);
    row.label->setBuddy(editor);
    row.message = new QLabel(this);
    row.message->setObjectName(QString::fromStdString(key) + QStringLiteral(".message"));
    row.message->setProperty("role", QStringLiteral("error"));
    row.message->setWordWrap(true);
    row.message->hide();
    row.help = new QLabel(this);
    row.help->setObjectName(QString::fromStdString(key) + QStringLiteral(".help"));
    row.help->setProperty("role", QStringLiteral("faint"));
    row.help->setWordWrap(true);
    row.help->hide();
    row.whole = new QWidget(this);
    auto* column = new QVBoxLayout(row.whole);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    auto* line = new QHBoxLayout;
    line->setSpacing(4);
    line->addWidget(editor, 1);
    if (is_path) {
        auto* button = new QToolButton(this);
        button->setText(QStringLiteral("\u2026"));
        connect(button, &QToolButton::clicked, this,
                [this, field, edit = static_cast<QLineEdit*>(editor)] { browse(*field, edit); });
        line->addWidget(button);
    }
    column->addLayout(line);
    column->addWidget(row.message);
    column->addWidget(row.help);
    const int place = form_->rowCount();
    form_->addWidget(row.label, place, 0, Qt::AlignLeft | Qt::AlignTop);
    form_->addWidget(row.whole, place, 1);
    rows_.push_back(row);
    return rows_.back();
}

QString TaskForm::help_of(const Row& row) const {
    if (row.field) return field_help(*row.field);
    const std::size_t chosen = static_cast<std::size_t>(std::max(zoo_->currentIndex(), 0));
    const auto& zoo = graph::zoo_models();
    return chosen < zoo.size() ? model::zoo_meaning(zoo[chosen])
                               : tr("A model from a file, or one of the built-in models");
}

void TaskForm::show_help() {
    for (const Row& row : rows_) {
        const QString help = help_of(row);
        row.editor->setToolTip(help);
        row.help->setText(help);
    }
}

QLineEdit* TaskForm::make_line() {
    auto* line = new QLineEdit(this);
    line->installEventFilter(this);
    connect(line, &QLineEdit::editingFinished, this, [this] { draft_.end_typing(); });
    return line;
}

QWidget* TaskForm::make_editor(const TaskField& field) {
    task::TaskSpec probe;
    if (!field.choices.empty()) {
        auto* box = new QComboBox(this);
        for (const char* choice : field.choices) box->addItem(QString::fromLatin1(choice));
        connect(box, &QComboBox::activated, this, [this, &field, box] { edit_field(field, box); });
        return box;
    }
    if (holds_alternative<bool*>(field.slot(probe))) {
        auto* box = new QCheckBox(this);
        connect(box, &QCheckBox::clicked, this, [this, &field, box] { edit_field(field, box); });
        return box;
    }
    QLineEdit* line = make_line();
    connect(line, &QLineEdit::textEdited, this, [this, &field, line] { edit_field(field, line); });
    return line;
}

/// Makes undo and redo in a line edit act on the window's undo stack, since fields and cuts share that stack.
bool TaskForm::eventFilter(QObject* object, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    return QWidget::eventFilter(object, event);
}

/// Shows the task. Sets only editors whose value differs, so that a text for the same value stays as the user typed it.
void TaskForm::show_spec() {
    const task::TaskSpec& spec = draft_.spec();
    const int zoo = zoo_->findText(QString::fromStdString(spec.model.zoo));
    zoo_->setCurrentIndex(spec.model.zoo.empty() || zoo < 0 ? zoo_->count() - 1 : zoo);
    show_sizes();
    show_help();
    for (const Row& row : rows_) {
        if (!row.field) continue;
        const auto unread = draft_.unread().find(row.key);
        if (unread != draft_.unread().end()) {
            set_editor_text(row.editor, unread->second);
        } else if (!reads_as(editor_text(row.editor), *row.field, spec)) {
            task::TaskSpec copy = spec;
            set_editor_text(row.editor, text_of(row.field->slot(copy)));
        }
    }
    check();
}

void TaskForm::edit_field(const TaskField& field, QWidget* editor) {
    task::TaskSpec spec = draft_.spec();
    model::UnreadTexts unread = draft_.unread();
    const QString text = editor_text(editor);
    const bool read = read_text(text, field.slot(spec));
    if (std::string_view(field.key) == "task.kind") return choose_kind(std::move(spec));
    if (read) unread.erase(field.key);
    else unread[field.key] = text;
    const bool typed = qobject_cast<QLineEdit*>(editor) != nullptr;
    draft_.edit(std::move(spec), std::move(unread), tr("Edit %1").arg(tr(field.label)), typed ? field.key : "");
    if (std::string_view(field.key).starts_with("model.")) Q_EMIT modelChosen();
}

/// Changes the kind of the task, and removes settings that do not apply to the new kind. Undo restores them.
void TaskForm::choose_kind(task::TaskSpec spec) {
    task::drop_of_other_kinds(spec);
    if (task::is_batch(spec) && spec.model.onnx.empty()) spec.model.onnx = chosen_file_;
    const bool other_model = !(spec.model == draft_.spec().model);
    draft_.edit(std::move(spec), {}, tr("Choose what the task does"));
    if (other_model) Q_EMIT modelChosen();
}

void TaskForm::edit_size(const std::string& size, const QString& text) {
    task::TaskSpec spec = draft_.spec();
    model::UnreadTexts unread = draft_.unread();
    const std::string key = "model." + size;
    bool ok = false;
    const qlonglong value = text.trimmed().toLongLong(&ok);
    if (ok) {
        spec.model.sizes[size] = value;
        unread.erase(key);
    } else {
        unread[key] = text;
    }
    draft_.edit(std::move(spec), std::move(unread), tr("Edit %1").arg(QString::fromStdString(size)), key);
    Q_EMIT modelChosen();
}

/// Changes the model, and removes the settings about inputs, heads and operators of the previous model.
void TaskForm::choose_zoo() {
    task::TaskSpec spec = draft_.spec();
    const bool file = zoo_->currentIndex() == zoo_->count() - 1;
    const std::string zoo = file ? std::string() : zoo_->currentText().toStdString();
    if (!spec.model.onnx.empty()) chosen_file_ = spec.model.onnx;
    if (zoo != spec.model.zoo) {
        spec.model = {};
        spec.train.losses.clear();
        spec.train.weights.clear();
        const std::string schedule = spec.split.schedule, recut = spec.split.recut;
        spec.split = {};
        spec.split.schedule = schedule;
        spec.split.recut = recut;
    }
    spec.model.zoo = zoo;
    spec.model.onnx = file ? chosen_file_ : std::string();
    model::UnreadTexts unread = draft_.unread();
    std::erase_if(unread, [](const auto& entry) { return entry.first.starts_with("model."); });
    draft_.edit(std::move(spec), std::move(unread), tr("Choose a model"));
    Q_EMIT modelChosen();
}

QString TaskForm::reading_problem(const std::string& key) const {
    for (const Row& row : rows_) {
        if (row.key != key || !row.field) continue;
        task::TaskSpec probe;
        const Slot slot = row.field->slot(probe);
        if (holds_alternative<std::vector<std::string>*>(slot)) return tr("unclosed quote");
        if (holds_alternative<double*>(slot)) return tr("must be a number, such as 0.001");
        if (slot.index() > 5) return tr("must be pairs such as name=value, separated by commas");
        return tr("must be a whole number");
    }
    return tr("%1 must be a whole number").arg(QString::fromStdString(key.substr(key.find('.') + 1)));
}

void TaskForm::check() {
    model::Problems problems = check_.problems();
    for (const auto& [key, text] : draft_.unread()) problems[key] = reading_problem(key);
    const task::TaskSpec& spec = draft_.spec();
    QString first, sizes;
    for (Row& row : rows_) {
        const bool relevant = !row.field || !row.field->relevant || row.field->relevant(spec);
        const auto problem = problems.find(row.key);
        row.was_wrong |= problem != problems.end();
        const bool shown = relevant && (shows_all_ || comes_first(row.key) || row.was_wrong);
        show_message(row, problem == problems.end() ? QString() : problem->second);
        row.label->setVisible(shown);
        row.whole->setVisible(shown);
        row.help->setVisible(problem == problems.end());
        if (problem == problems.end()) continue;
        if (first.isEmpty()) first = row.label->text() + QStringLiteral(": ") + problem->second;
        problems.erase(problem);
    }
    for (const auto& [label, text] : headings_)
        label->setVisible(std::ranges::any_of(
            rows_, [&, heading = label](const Row& row) { return row.heading == heading && !row.whole->isHidden(); }));
    // The remaining problems concern a size of the zoo model, or no field.
    for (const auto& [key, text] : problems) {
        const bool size = key.starts_with("model.");
        const QString line = size ? text : QString::fromStdString(key) + QStringLiteral(": ") + text;
        if (size) sizes += (sizes.isEmpty() ? QString() : QStringLiteral("\n")) + line;
        if (first.isEmpty()) first = line;
    }
    size_message_->setText(sizes);
    size_message_->setVisible(!sizes.isEmpty());
    size_was_wrong_ |= !sizes.isEmpty();
    size_box_->setVisible((shows_all_ && !sizes_.empty()) || size_was_wrong_);
    problem_ = first;
    valid_ = problem_.isEmpty();
    show_summary();
    Q_EMIT validityChanged();
}

/// Returns why a valid task cannot run now; empty if it can.
QString TaskForm::run_obstacle() const {
    if (!document_.model())
        return tr("No model is open. Choose one above or open one: its graph shows what the task would run.");
    if (!draft_.shows_model()) return tr("The model of this task is not on screen yet.");
    if (!connected_) return tr("Running needs a cluster; there is no connection.");
    return forbidden_;
}

void TaskForm::show_summary() {
    const QString obstacle = run_obstacle();
    const bool shown = valid_ && draft_.shows_model();
    QString text = valid_ ? obstacle : problem_;
    if (shown) text = tr("Ready. Cuts: %1").arg(document_.cuts().size());
    if (shown && document_.painting()) text = tr("Ready. Painted segments: %1").arg(document_.painting()->segments());
    if (shown && document_.split().as_in_task) text = tr("Ready. Split as the task file says.");
    if (shown && !forbidden_.isEmpty()) text = forbidden_;
    set_role(summary_, valid_ ? QStringLiteral("faint") : QStringLiteral("error"));
    summary_->setText(text);
    save_->setEnabled(valid_);
    run_->setEnabled(can_run());
    run_->setToolTip(obstacle);
}

void TaskForm::show_message(Row& row, const QString& text) {
    row.message->setText(text);
    row.message->setVisible(!text.isEmpty());
    row.editor->setAccessibleDescription(text.isEmpty() ? row.help->text() : text);
    set_invalid(row.editor, !text.isEmpty());
}

void TaskForm::set_connected(bool connected) {
    if (connected_ == connected) return;
    connected_ = connected;
    show_summary();
}

void TaskForm::set_forbidden(const QString& why) {
    if (forbidden_ == why) return;
    forbidden_ = why;
    show_summary();
}

void TaskForm::begin() {
    for (const Row& row : rows_)
        if (row.key == "task.name") row.editor->setFocus();
}

void TaskForm::set_all(bool all) {
    if (shows_all_ == all) return;
    shows_all_ = all;
    size_was_wrong_ = false;
    for (Row& row : rows_) row.was_wrong = false;
    retranslate();
}

QString TaskForm::message(const std::string& key) const {
    for (const Row& row : rows_)
        if (row.key == key) return row.message->text();
    return key.starts_with("model.") ? size_message_->text() : QString();
}

void TaskForm::browse(const TaskField& field, QLineEdit* line) {
    const std::string_view key = field.key;
    const task::DataSection& data = draft_.spec().data;
    auto* dialog = new QFileDialog(this, tr("Choose a file"), draft_.folder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    if (key == "model.onnx") dialog->setNameFilter(tr("ONNX models (*.onnx)"));
    if (key == "data.path" && data.kind == "images" && data.labels.empty()) dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, [this, &field, line](const QString& path) {
        line->setText(path);
        edit_field(field, line);
        draft_.end_typing();
    });
    dialog->open();
}

void TaskForm::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) {
        check_.check();
        retranslate();
    }
    QWidget::changeEvent(event);
}

void TaskForm::retranslate() {
    for (const auto& [label, text] : headings_) label->setText(tr(text));
    zoo_->setItemText(zoo_->count() - 1, tr("ONNX file"));
    for (const Row& row : rows_) {
        const QString label = row.field ? tr(row.field->label) : tr("Model");
        row.label->setText(label);
        row.editor->setAccessibleName(label);
    }
    name_sizes();
    show_help();
    more_->setText(shows_all_ ? tr("Fewer fields") : tr("All fields"));
    save_->setText(tr("Save..."));
    run_->setText(tr("Run"));
    check();
}

}  // namespace divisi::panels

#include "moc_task_form.cpp"
