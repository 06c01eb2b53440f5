// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/task_form.h"

#include <QCheckBox>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>

#include "backend/graph/zoo.h"

namespace divisi::panels {

namespace {

/// Typing should not rebuild a model at every key.
constexpr int model_delay_ms = 400;
/// Of both forms, so that the editors stand in one line.
constexpr int label_width = 144;

void set_invalid(QWidget* editor, bool invalid) {
    if (editor->property("invalid").toBool() == invalid) return;
    editor->setProperty("invalid", invalid);
    editor->style()->unpolish(editor);
    editor->style()->polish(editor);
}

QString number_text(double value) { return QString::number(value, 'g', 10); }

/// What an editor shows for a value.
QString text_of(const Slot& slot) {
    struct Visitor {
        QString operator()(std::string* text) const { return QString::fromStdString(*text); }
        QString operator()(std::int64_t* value) const { return QString::number(*value); }
        QString operator()(std::uint64_t* value) const { return QString::number(*value); }
        QString operator()(double* value) const { return number_text(*value); }
        QString operator()(bool* value) const { return *value ? QStringLiteral("true") : QString(); }
        QString operator()(std::vector<std::string>* list) const {
            QStringList parts;
            for (const std::string& part : *list) parts << QString::fromStdString(part);
            return parts.join(QStringLiteral(", "));
        }
        QString operator()(std::map<std::string, std::string>* pairs) const {
            QStringList parts;
            for (const auto& [name, value] : *pairs) parts << QString::fromStdString(name + '=' + value);
            return parts.join(QStringLiteral(", "));
        }
        QString operator()(std::map<std::string, std::int64_t>* pairs) const {
            QStringList parts;
            for (const auto& [name, value] : *pairs)
                parts << QString::fromStdString(name) + u'=' + QString::number(value);
            return parts.join(QStringLiteral(", "));
        }
    };
    return std::visit(Visitor{}, slot);
}

/// "a=b, c=d"; nothing where a part has no name or no value.
std::optional<std::map<std::string, std::string>> read_pairs(const QString& text) {
    std::map<std::string, std::string> pairs;
    for (const QString& part : text.split(u',', Qt::SkipEmptyParts)) {
        const qsizetype equals = part.indexOf(u'=');
        const QString name = part.left(equals).trimmed(), value = part.mid(equals + 1).trimmed();
        if (equals < 0 || name.isEmpty() || value.isEmpty()) return std::nullopt;
        pairs[name.toStdString()] = value.toStdString();
    }
    return pairs;
}

/// Reads an editor's text into a value; false where it cannot be read as one.
bool read_text(const QString& text, const Slot& slot) {
    struct Visitor {
        const QString& text;
        bool operator()(std::string* value) const {
            *value = text.trimmed().toStdString();
            return true;
        }
        bool operator()(std::int64_t* value) const {
            bool ok = false;
            const qlonglong read = text.trimmed().toLongLong(&ok);
            if (ok) *value = read;
            return ok;
        }
        bool operator()(std::uint64_t* value) const {
            bool ok = false;
            const qulonglong read = text.trimmed().toULongLong(&ok);
            if (ok) *value = read;
            return ok;
        }
        bool operator()(double* value) const {
            bool ok = false;
            const double read = text.trimmed().toDouble(&ok);
            if (ok) *value = read;
            return ok;
        }
        bool operator()(bool* value) const {
            *value = !text.isEmpty();
            return true;
        }
        bool operator()(std::vector<std::string>* list) const {
            list->clear();
            for (const QString& part : text.split(u',', Qt::SkipEmptyParts))
                list->push_back(part.trimmed().toStdString());
            return true;
        }
        bool operator()(std::map<std::string, std::string>* pairs) const {
            const auto read = read_pairs(text);
            if (read) *pairs = *read;
            return read.has_value();
        }
        bool operator()(std::map<std::string, std::int64_t>* sizes) const {
            const auto read = read_pairs(text);
            bool ok = read.has_value();
            std::map<std::string, std::int64_t> numbers;
            for (const auto& [name, value] : read.value_or(std::map<std::string, std::string>())) {
                bool number = false;
                numbers[name] = QString::fromStdString(value).toLongLong(&number);
                ok = ok && number;
            }
            if (ok) *sizes = std::move(numbers);
            return ok;
        }
    };
    return std::visit(Visitor{text}, slot);
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
        line->setCursorPosition(0);  // of a long path the beginning shows
    } else if (auto* box = qobject_cast<QComboBox*>(editor)) {
        box->setCurrentIndex(box->findText(text));
    } else {
        static_cast<QCheckBox*>(editor)->setChecked(!text.isEmpty());
    }
}

}  // namespace

TaskForm::TaskForm(model::TaskDraft& draft, model::GraphDocument& document, QWidget* parent)
    : QWidget(parent),
      draft_(draft),
      document_(document),
      form_(new QFormLayout),
      zoo_(new QComboBox(this)),
      name_(new QLineEdit(this)),
      onnx_(new QLineEdit(this)),
      size_box_(new QWidget(this)),
      size_form_(new QFormLayout(size_box_)),
      size_message_(new QLabel(this)),
      summary_(new QLabel(this)),
      save_(new QPushButton(this)),
      run_(new QPushButton(this)) {
    setObjectName(QStringLiteral("taskForm"));
    build();
    model_timer_.setSingleShot(true);
    model_timer_.setInterval(model_delay_ms);
    connect(&model_timer_, &QTimer::timeout, this, [this] { Q_EMIT modelWanted(draft_.wanted_model()); });
    connect(&draft_, &model::TaskDraft::specChanged, this, &TaskForm::show_spec);
    connect(&document_, &model::GraphDocument::modelChanged, this, &TaskForm::check);
    connect(&document_, &model::GraphDocument::cutsChanged, this, [this] {
        if (!document_.previewing()) check();
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
    column->addLayout(form_);
    column->addStretch();
    form_->setHorizontalSpacing(16);
    form_->setVerticalSpacing(8);
    form_->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
    form_->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    build_model_section();
    const char* section = task_fields().front().section;  // its heading stands already
    for (const TaskField& field : task_fields()) {
        if (std::string_view(section) != field.section) add_heading(field.section);
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
    setMinimumWidth(340);
}

void TaskForm::build_model_section() {
    add_heading(QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Task"));
    add_row("task.name", name_, nullptr, false);
    add_heading(QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Model"));
    for (const graph::ZooModel& zoo : graph::zoo_models()) zoo_->addItem(QString::fromStdString(zoo.name));
    zoo_->addItem(QString());  // an ONNX file; named by retranslate()
    add_row("model.zoo", zoo_, nullptr, false);
    add_row("model.onnx", onnx_, nullptr, true);
    size_form_->setContentsMargins(0, 0, 0, 0);
    size_form_->setHorizontalSpacing(16);
    size_form_->setVerticalSpacing(8);
    form_->addRow(size_box_);
    connect(name_, &QLineEdit::textEdited, this, &TaskForm::edited);
    connect(onnx_, &QLineEdit::textEdited, this, &TaskForm::choose_model);
    connect(zoo_, &QComboBox::activated, this, [this] {
        sizes_.clear();  // those of another model
        choose_model();
        build_sizes();
    });
}

void TaskForm::build_sizes() {
    while (size_form_->rowCount() > 0) size_form_->removeRow(0);
    sizes_.clear();
    const auto& models = graph::zoo_models();
    const auto at = static_cast<std::size_t>(zoo_->currentIndex());
    const bool zoo = at < models.size();
    size_box_->setVisible(zoo);
    for (const graph::ZooSize& size : zoo ? models[at].sizes : std::vector<graph::ZooSize>()) {
        const auto given = draft_.spec().model.sizes.find(size.name);
        const std::int64_t value = given == draft_.spec().model.sizes.end() ? size.fallback : given->second;
        auto* line = new QLineEdit(QString::number(value), size_box_);
        line->setObjectName(QStringLiteral("model.") + QString::fromStdString(size.name));
        line->setToolTip(QString::fromStdString(size.meaning));
        line->setAccessibleName(QString::fromStdString(size.meaning));
        connect(line, &QLineEdit::textEdited, this, &TaskForm::choose_model);
        auto* label = new QLabel(QString::fromStdString(size.name), size_box_);
        label->setFixedWidth(label_width);
        label->setBuddy(line);
        size_form_->addRow(label, line);
        sizes_.emplace_back(size.name, line);
    }
    size_message_ = new QLabel(size_box_);
    size_message_->setProperty("role", QStringLiteral("error"));
    size_message_->setWordWrap(true);
    size_message_->hide();
    size_form_->addRow(size_message_);
}

void TaskForm::add_heading(const char* text) {
    auto* label = new QLabel(this);
    label->setProperty("role", QStringLiteral("heading"));
    label->setContentsMargins(0, headings_.empty() ? 0 : 16, 0, 0);
    form_->addRow(label);
    headings_.emplace_back(label, text);
}

TaskForm::Row& TaskForm::add_row(const std::string& key, QWidget* editor, const TaskField* field, bool is_path) {
    Row row;
    row.key = key;
    row.field = field;
    row.editor = editor;
    editor->setObjectName(QString::fromStdString(key));
    row.label = new QLabel(this);
    row.label->setFixedWidth(label_width);
    row.label->setWordWrap(true);
    row.label->setContentsMargins(0, 6, 0, 0);
    row.label->setBuddy(editor);
    row.message = new QLabel(this);
    row.message->setObjectName(QString::fromStdString(key) + QStringLiteral(".message"));
    row.message->setProperty("role", QStringLiteral("error"));
    row.message->setWordWrap(true);
    row.message->hide();
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
                [this, key, edit = static_cast<QLineEdit*>(editor)] { browse(key, edit); });
        line->addWidget(button);
    }
    column->addLayout(line);
    column->addWidget(row.message);
    form_->addRow(row.label, row.whole);
    rows_.push_back(row);
    return rows_.back();
}

QWidget* TaskForm::make_editor(const TaskField& field) {
    task::TaskSpec probe;
    if (!field.choices.empty()) {
        auto* box = new QComboBox(this);
        for (const char* choice : field.choices) box->addItem(QString::fromLatin1(choice));
        connect(box, &QComboBox::activated, this, &TaskForm::edited);
        return box;
    }
    if (std::holds_alternative<bool*>(field.slot(probe))) {
        auto* box = new QCheckBox(this);
        connect(box, &QCheckBox::clicked, this, &TaskForm::edited);
        return box;
    }
    auto* line = new QLineEdit(this);
    connect(line, &QLineEdit::textEdited, this, &TaskForm::edited);
    return line;
}

void TaskForm::show_spec() {
    showing_ = true;
    typed_.clear();
    task::TaskSpec spec = draft_.spec();
    name_->setText(QString::fromStdString(spec.task.name));
    onnx_->setText(QString::fromStdString(spec.model.onnx));
    const int zoo = zoo_->findText(QString::fromStdString(spec.model.zoo));
    zoo_->setCurrentIndex(spec.model.zoo.empty() || zoo < 0 ? zoo_->count() - 1 : zoo);
    build_sizes();
    for (const Row& row : rows_)
        if (row.field) set_editor_text(row.editor, text_of(row.field->slot(spec)));
    showing_ = false;
    check();
}

void TaskForm::read_spec() {
    typed_.clear();
    task::TaskSpec spec = draft_.spec();
    spec.task.name = name_->text().trimmed().toStdString();
    const bool file = zoo_->currentIndex() == zoo_->count() - 1;
    spec.model.zoo = file ? std::string() : zoo_->currentText().toStdString();
    spec.model.onnx = file ? onnx_->text().trimmed().toStdString() : std::string();
    spec.model.sizes.clear();
    for (const auto& [name, line] : sizes_) {
        bool ok = false;
        const qlonglong value = line->text().trimmed().toLongLong(&ok);
        if (ok) spec.model.sizes[name] = value;
        else typed_["model." + name] = tr("%1 must be a whole number").arg(QString::fromStdString(name));
    }
    for (const Row& row : rows_) {
        if (!row.field || read_text(editor_text(row.editor), row.field->slot(spec))) continue;
        const bool decimal = std::holds_alternative<double*>(row.field->slot(spec));
        const bool pairs = row.field->slot(spec).index() > 5;
        typed_[row.key] = pairs     ? tr("must be pairs such as name=value, divided by commas")
                          : decimal ? tr("must be a number, such as 0.001")
                                    : tr("must be a whole number");
    }
    draft_.set_spec(std::move(spec));
}

void TaskForm::edited() {
    if (showing_) return;
    const model::ModelSource before = draft_.wanted_model();
    read_spec();
    if (!(draft_.wanted_model() == before)) model_timer_.start();
    check();
}

void TaskForm::choose_model() {
    if (showing_) return;
    read_spec();
    check();
    if (!draft_.spec().model.zoo.empty() || !draft_.spec().model.onnx.empty()) model_timer_.start();
}

void TaskForm::check() {
    std::map<std::string, QString> problems = draft_.problems();
    for (const auto& [key, text] : typed_) problems[key] = text;
    task::TaskSpec spec = draft_.spec();
    QString first, sizes;
    const bool file = spec.model.zoo.empty();
    for (Row& row : rows_) {
        bool shown = !row.field || !row.field->relevant || row.field->relevant(spec);
        if (row.key == "model.onnx") shown = file;
        const auto problem = problems.find(row.key);
        show_message(row, problem == problems.end() ? QString() : problem->second);
        row.label->setVisible(shown);
        row.whole->setVisible(shown);
        if (problem == problems.end()) continue;
        if (first.isEmpty()) first = row.label->text() + QStringLiteral(": ") + problem->second;
        problems.erase(problem);
    }
    // What is left concerns a size of the zoo model, or no field at all.
    for (const auto& [key, text] : problems) {
        const bool size = key.starts_with("model.");
        const QString line = size ? text : QString::fromStdString(key) + QStringLiteral(": ") + text;
        if (size) sizes += (sizes.isEmpty() ? QString() : QStringLiteral("\n")) + line;
        if (first.isEmpty()) first = line;
    }
    size_message_->setText(sizes);
    size_message_->setVisible(!sizes.isEmpty());
    const bool was = valid_;
    valid_ = first.isEmpty();
    summary_->setProperty("role", valid_ ? QStringLiteral("faint") : QStringLiteral("error"));
    summary_->style()->unpolish(summary_);
    summary_->style()->polish(summary_);
    const QString ready = document_.painting() ? tr("Ready. Painted segments: %1").arg(document_.painting()->segments())
                                               : tr("Ready. Cuts: %1").arg(document_.cuts().size());
    summary_->setText(valid_ ? ready : first);
    save_->setEnabled(valid_);
    run_->setEnabled(valid_ && connected_);
    if (was != valid_) Q_EMIT validityChanged();
}

void TaskForm::show_message(Row& row, const QString& text) {
    row.message->setText(text);
    row.message->setVisible(!text.isEmpty());
    row.editor->setAccessibleDescription(text);
    set_invalid(row.editor, !text.isEmpty());
}

void TaskForm::set_connected(bool connected) {
    connected_ = connected;
    run_->setEnabled(valid_ && connected_);
    run_->setToolTip(connected_ ? QString() : tr("Running needs a cluster; there is no connection."));
}

QString TaskForm::message(const std::string& key) const {
    for (const Row& row : rows_)
        if (row.key == key) return row.message->text();
    return key.starts_with("model.") ? size_message_->text() : QString();
}

void TaskForm::browse(const std::string& key, QLineEdit* line) {
    const QString title = tr("Choose a file");
    const QString folder = draft_.folder();
    const QString filter = key == "model.onnx" ? tr("ONNX models (*.onnx)") : QString();
    const bool folder_wanted =
        draft_.spec().data.kind == "images" && draft_.spec().data.labels.empty() && key == "data.path";
    const QString path = folder_wanted ? QFileDialog::getExistingDirectory(this, title, folder)
                                       : QFileDialog::getOpenFileName(this, title, folder, filter);
    if (path.isEmpty()) return;
    line->setText(path);
    if (key == "model.onnx") choose_model();
    else edited();
}

void TaskForm::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void TaskForm::retranslate() {
    for (const auto& [label, text] : headings_) label->setText(tr(text));
    zoo_->setItemText(zoo_->count() - 1, tr("ONNX file"));
    for (const Row& row : rows_) {
        QString label, help;
        if (row.field) {
            label = tr(row.field->label);
            help = *row.field->help ? tr(row.field->help) : QString();
        } else if (row.key == "task.name") {
            label = tr("Name");
            help = tr("Letters, digits, '-', '_' and '.'");
        } else {
            label = row.key == "model.zoo" ? tr("Model") : tr("ONNX file");
        }
        row.label->setText(label);
        row.editor->setToolTip(help);
        row.editor->setAccessibleName(label);
    }
    save_->setText(tr("Save..."));
    run_->setText(tr("Run"));
    check();
}

}  // namespace divisi::panels
