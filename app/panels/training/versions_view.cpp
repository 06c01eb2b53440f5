// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/training/versions_view.h"

#include <QFileDialog>
#include <QMessageBox>
#include <tuple>

#include "app/client/refusal_text.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "app/panels/tables/plain_table.h"
#include "app/panels/tables/text_table.h"
#include "backend/control/state/version_lineage.h"

namespace divisi::panels {

namespace {

enum Column { version, hash, task, model_name, step, loss, origin, made, bytes, column_count };

QString version_words(const std::string& text) { return QString::fromStdString(text); }

QString loss_of(const control::ModelVersion& one) {
    return one.loss ? model::loss_text(static_cast<double>(*one.loss)) : QStringLiteral("\u2013");
}

QString parent_of(const control::ModelVersion& one) {
    return one.parent == 0 ? VersionsView::tr("the model's initial weights") : QString::number(one.parent);
}

QString size_of(const control::ModelVersion& one) {
    return one.kept ? model::bytes_text(one.size) : VersionsView::tr("deleted");
}

std::vector<std::pair<QString, QString>> fields_of_version(const control::ClusterState& state,
                                                           const control::ModelVersion& one) {
    return {{VersionsView::tr("Version"), QString::number(one.number)},
            {VersionsView::tr("Hash"), version_words(one.hash)},
            {VersionsView::tr("Model"), version_words(one.model)},
            {VersionsView::tr("Lineage"), model::lineage_text(state, one.number)},
            {VersionsView::tr("Derived from"), parent_of(one)},
            {VersionsView::tr("Task"), version_words(one.task.value())},
            {VersionsView::tr("Plan"), version_words(one.plan)},
            {VersionsView::tr("Stages"), QString::number(one.stages)},
            {VersionsView::tr("Data"), version_words(one.data)},
            {VersionsView::tr("Step"), model::count_text(one.step)},
            {VersionsView::tr("Loss"), loss_of(one)},
            {VersionsView::tr("Made"), model::date_text(one.time)},
            {VersionsView::tr("Weights"), size_of(one)}};
}

}  // namespace

VersionsView::VersionsView(client::Client* client, QWidget* parent)
    : ListPage("version", client, parent),
      model_(column_count, {step, loss, bytes}),
      keep_(new QPushButton(this)),
      start_(new QPushButton(this)),
      export_(new QPushButton(this)),
      drop_(new QPushButton(this)),
      keepable_(new QMenu(keep_)),
      table_(new RowTable("versionTable", model_, this)),
      fields_(new QTableWidget(0, 2, this)) {
    setObjectName(QStringLiteral("versions"));
    build();
    connect(table_, &RowTable::currentRowChanged, this, &VersionsView::show_chosen);
    connect(keepable_, &QMenu::aboutToShow, this, &VersionsView::fill_keep);
    connect(start_, &QPushButton::clicked, this, &VersionsView::start);
    connect(export_, &QPushButton::clicked, this, &VersionsView::choose_export);
    connect(drop_, &QPushButton::clicked, this, &VersionsView::ask_drop);
    if (client_) {
        connect(client_, &client::Client::dataChanged, this, &VersionsView::refresh);
        connect(client_, &client::Client::statusChanged, this, &VersionsView::refresh);
        connect(client_, &client::Client::versionExported, this, [this](std::uint64_t number, const QString& file) {
            if (exporting_ == number) exporting_.reset();
            show_notice(tr("Version %1 was written to %2").arg(number).arg(file), false);
            refresh_bar();
        });
        connect(client_, &client::Client::refused, this, [this](const QString& why) {
            const bool dropping = std::exchange(dropping_, std::nullopt).has_value();
            const bool exporting = std::exchange(exporting_, std::nullopt).has_value();
            const bool keeping = std::exchange(keeping_, std::nullopt).has_value();
            if (!dropping && !exporting && !keeping) return;
            show_notice(why, true);
            refresh_bar();
        });
    }
    retranslate();
}

void VersionsView::build() {
    keep_->setObjectName(QStringLiteral("keepCheckpoint"));
    keepable_->setObjectName(QStringLiteral("keepCheckpointMenu"));
    keep_->setMenu(keepable_);
    start_->setObjectName(QStringLiteral("startFromVersion"));
    export_->setObjectName(QStringLiteral("exportVersion"));
    drop_->setObjectName(QStringLiteral("dropVersion"));
    fields_->setObjectName(QStringLiteral("versionFields"));
    make_fields(*fields_);
    fields_->hide();
    set_list(*table_, *fields_, {2, 1}, Details::below_if_narrow);
    add_count();
    for (QPushButton* button : {keep_, start_, export_, drop_}) bar().addWidget(button);
    for (QPushButton* button : {start_, export_, drop_}) offer_in_menu(*table_, *button);
    drop_by_key(*table_, *drop_);
}

void VersionsView::filter_rows(const QString& text) {
    table_->set_filter(text);
    refresh_bar();
}

void VersionsView::refresh() {
    answered();
    if (!isVisible()) return;
    fill_table();
    show_chosen();
}

/// Reports that a version's weights were deleted, or that a checkpoint was kept as a version, when the new state
/// confirms it.
void VersionsView::answered() {
    if (!client_) return;
    const auto* kept = keeping_ ? model::version_of_checkpoint(client_->data().state, *keeping_) : nullptr;
    if (kept) {
        show_notice(tr("The checkpoint of %1 after step %2 is now version %3.")
                        .arg(version_words(kept->task.value()), model::count_text(kept->step))
                        .arg(kept->number),
                    false);
        keeping_.reset();
    }
    if (!dropping_) return;
    const auto& all = client_->data().state.versions;
    const auto found = all.find(*dropping_);
    if (found != all.end() && found->second.kept) return;
    show_notice(tr("The weights of version %1 were deleted.").arg(*dropping_), false);
    dropping_.reset();
}

void VersionsView::fill_table() {
    if (!client_) return;
    const model::Colours& colours = model::colours_of(palette());
    std::vector<TableRow> rows;
    for (const model::VersionRow& row : model::version_tree(client_->data().state)) {
        const control::ModelVersion& one = *row.version;
        TableRow line{QString::number(one.number), std::vector<RowCell>(column_count)};
        // The sort key is the position in the tree, so that sorting by the first column restores the order of the tree.
        line.cells[version] = {model::version_branch(row), qlonglong(rows.size())};
        line.cells[hash] = {model::short_hash(one.hash)};
        line.cells[task] = {version_words(one.task.value())};
        line.cells[model_name] = {version_words(one.model)};
        line.cells[step] = {model::count_text(one.step), qlonglong{one.step}};
        line.cells[loss] = {loss_of(one), one.loss ? QVariant(static_cast<double>(*one.loss)) : QVariant()};
        line.cells[origin] = {parent_of(one), qulonglong{one.parent}};
        line.cells[made] = {model::date_text(one.time), qlonglong(one.time.time_since_epoch().count())};
        line.cells[bytes] = {size_of(one), qlonglong(one.kept ? one.size : 0)};
        line.time = one.time;
        line.about = model::things_of({}, {}, one.task);
        if (!one.kept)
            for (RowCell& cell : line.cells) cell.colour = colours.faint;
        rows.push_back(std::move(line));
    }
    model_.set_rows(std::move(rows));
}

const control::ModelVersion* VersionsView::chosen() const {
    if (!client_) return nullptr;
    const auto& all = client_->data().state.versions;
    const auto found = all.find(table_->current().toULongLong());
    return found == all.end() ? nullptr : &found->second;
}

void VersionsView::show_chosen() {
    const control::ModelVersion* one = chosen();
    fields_->setVisible(one != nullptr);
    if (one) show_fields(*fields_, fields_of_version(client_->data().state, *one));
    refresh_bar();
}

QString VersionsView::all_hidden_text() const { return tr("No version has this text. Clear the filter to see all."); }

QString VersionsView::no_rows_text() const {
    return tr("No versions. A training that succeeds creates one.") + u' ' + client::how_to_begin(client_);
}

void VersionsView::refresh_bar() {
    const QString why = why_not_changed(tr("Your role is read-only. Operators and admins manage versions."));
    show_list();
    const auto all = client_ ? static_cast<std::int64_t>(client_->data().state.versions.size()) : 0;
    set_count(all == 0 ? QString()
                       : tr("%1 of %2 versions").arg(model::count_text(table_->shown()), model::count_text(all)));
    refresh_keep(why);
    const control::ModelVersion* one = chosen();
    const QString choose = one ? tr("Its weights were deleted") : tr("Choose a version in the table first");
    const bool kept = one && one->kept;
    const std::tuple<QPushButton*, bool, QString> tips[] = {
        {start_, true, tr("Open the task of this version in the form, to run it again from these weights")},
        {export_, !exporting_, tr("Export its model with these weights as an ONNX file")},
        {drop_, !dropping_, tr("Delete its weights so that nodes free the space")}};
    for (const auto& [button, idle, tip] : tips) {
        button->setEnabled(kept && idle && why.isEmpty());
        button->setToolTip(!why.isEmpty() ? why : kept ? tip : choose);
    }
}

/// Enables the button that keeps a checkpoint, or disables it with the reason.
void VersionsView::refresh_keep(const QString& why_not) {
    const bool any = client_ && !model::keepable_checkpoints(client_->data().state).empty();
    keep_->setEnabled(any && !keeping_ && why_not.isEmpty());
    const QString none =
        tr("No training has a checkpoint left to keep. Run a task with [checkpoint] every, or order one: divisictl "
           "checkpoint TASK");
    const QString tip = any ? tr("Keep a checkpoint of a training as a version, even if the training fails") : none;
    keep_->setToolTip(why_not.isEmpty() ? tip : why_not);
}

void VersionsView::fill_keep() {
    keepable_->clear();
    if (!client_) return;
    for (const model::KeepableCheckpoint& one : model::keepable_checkpoints(client_->data().state)) {
        QAction* entry = keepable_->addAction(
            tr("%1, after step %2").arg(version_words(one.task.value()), model::count_text(one.step)));
        connect(entry, &QAction::triggered, this, [this, one] { keep(one); });
    }
}

void VersionsView::keep(const model::KeepableCheckpoint& one) {
    keeping_ = one;
    hide_notice();
    refresh_bar();
    client_->order(control::KeepCheckpoint{one.task, one.step, {}});
}

void VersionsView::start() {
    const control::ModelVersion* one = chosen();
    if (!one) return;
    const control::ClusterState& state = client_->data().state;
    const auto text = model::task_from_version(state, one->number);
    if (!text.ok()) return show_notice(client::quoted(text.error()), true);
    hide_notice();
    Q_EMIT startRequested(version_words(*text), version_words(state.tasks.at(one->task).folder));
}

void VersionsView::ask_drop() {
    const control::ModelVersion* one = chosen();
    if (!one) return;
    QString text =
        tr("Delete the weights of version %1? It can then no longer start a task or be exported.").arg(one->number);
    if (control::has_children(client_->data().state, one->number))
        text += u' ' + tr("Versions derived from it are kept, and their lineage still shows it.");
    auto* box =
        new QMessageBox(QMessageBox::Question, tr("Drop version %1").arg(one->number), text, QMessageBox::Cancel, this);
    box->setObjectName(QStringLiteral("dropVersionDialog"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* yes = box->addButton(tr("Delete weights"), QMessageBox::DestructiveRole);
    yes->setObjectName(QStringLiteral("dropVersionNow"));
    box->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QPushButton::clicked, this, [this, number = one->number] {
        dropping_ = number;
        refresh_bar();
        client_->order(control::DropVersion{number});
    });
    box->open();
}

void VersionsView::choose_export() {
    const control::ModelVersion* one = chosen();
    if (!one) return;
    auto* dialog =
        new QFileDialog(this, tr("Export version %1").arg(one->number), {}, tr("ONNX models (*.onnx);;All files (*)"));
    dialog->setObjectName(QStringLiteral("versionExportDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("onnx"));
    dialog->selectFile(version_words(one->task.value()) + QStringLiteral(".onnx"));
    connect(dialog, &QFileDialog::fileSelected, this, &VersionsView::export_to);
    dialog->open();
}

void VersionsView::export_to(const QString& file) {
    const control::ModelVersion* one = chosen();
    if (!one) return;
    exporting_ = one->number;
    show_notice(tr("Fetching the weights of version %1\u2026").arg(one->number), false);
    refresh_bar();
    client_->order(client::ExportVersion{one->number, file});
}

void VersionsView::retranslate() {
    set_filter_texts(tr("Show only versions with this text"), tr("Filter of the versions"));
    keep_->setText(tr("Keep a checkpoint"));
    start_->setText(tr("Start a task from this version\u2026"));
    export_->setText(tr("Export\u2026"));
    drop_->setText(tr("Drop\u2026"));
    table_->setAccessibleName(tr("Versions of trained models, each under the one it derives from"));
    fields_->setAccessibleName(tr("Fields of the selected version"));
    model_.set_header({tr("Version"), tr("Hash"), tr("Task"), tr("Model"), tr("Step"), tr("Loss"), tr("Derived from"),
                       tr("Made"), tr("Weights")});
    fill_table();
    show_chosen();
}

}  // namespace divisi::panels

#include "moc_versions_view.cpp"
