// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/training/task_saver.h"

#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>

#include "app/client/refusal_text.h"

namespace divisi::shell {

TaskSaver::TaskSaver(model::TaskDraft& draft, std::function<QString()> problem, QWidget& window)
    : QObject(&window), draft_(draft), problem_(std::move(problem)), window_(window) {}

void TaskSaver::save(bool ask_where, Then then) {
    if (!ask_where && !draft_.path().isEmpty()) return save_to(draft_.path(), then);
    auto* dialog = new QFileDialog(&window_, tr("Save task"), draft_.folder(), tr("Tasks (*.toml)"));
    dialog->setObjectName(QStringLiteral("saveDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("toml"));
    dialog->selectFile(QString::fromStdString(draft_.spec().task.name) + QStringLiteral(".toml"));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, then = std::move(then)](const QString& path) { save_to(path, then); });
    dialog->open();
}

void TaskSaver::save_to(const QString& path, const Then& then) {
    const Result<void> done = draft_.save(path);
    if (!done.ok()) return failed(client::quoted(done.error()));
    Q_EMIT saved(path);
    if (then) then();
}

void TaskSaver::let_go(Then then) {
    if (!draft_.modified() || choice_ == UnsavedChoice::discard) return then();
    // Save without asking only if the task can be saved as it is and has a file.
    if (choice_ == UnsavedChoice::save && !draft_.path().isEmpty() && problem_().isEmpty()) return save(false, then);
    ask(std::move(then));
}

void TaskSaver::ask(Then then) {
    const QString name = QString::fromStdString(draft_.spec().task.name), problem = problem_();
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Unsaved changes"),
                                tr("The task \u201c%1\u201d has changes that are not saved.").arg(name),
                                QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &window_);
    box->setObjectName(QStringLiteral("unsavedDialog"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(problem.isEmpty()
                                ? tr("Save the changes, or lose moved cuts and edited fields.")
                                : tr("The task cannot be saved yet: %1. Cancel to correct the task, or lose the "
                                     "changes.")
                                      .arg(problem));
    box->button(QMessageBox::Save)->setEnabled(problem.isEmpty());
    box->setDefaultButton(problem.isEmpty() ? QMessageBox::Save : QMessageBox::Cancel);
    connect(box, &QMessageBox::finished, this, [this, then = std::move(then)](int answer) {
        if (answer == QMessageBox::Save) save(false, then);
        if (answer == QMessageBox::Discard) then();
    });
    box->open();
}

}  // namespace divisi::shell

#include "moc_task_saver.cpp"
