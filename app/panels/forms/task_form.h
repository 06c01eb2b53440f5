// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QWidget>
#include <map>
#include <vector>

#include "app/model/documents/task_draft.h"
#include "app/model/estimates/task_check.h"
#include "app/panels/forms/task_fields.h"
#include "backend/graph/zoo.h"

namespace divisi::panels {

/// The New task form: model, data, training and split. Every change is one undo step of its field and is checked at
/// once; a message appears below the field that it concerns. The most important fields are always visible. The other
/// fields are shown on request, or if one of them is invalid.
class TaskForm : public QWidget {
    Q_OBJECT
public:
    TaskForm(model::TaskDraft& draft, model::GraphDocument& document, model::TaskCheck& check,
             QWidget* parent = nullptr);

    /// Returns whether all fields are valid, so that the task can be saved.
    bool valid() const { return valid_; }
    /// Returns whether the task can run: it is valid, its model is open, and a cluster lets the user run tasks.
    bool can_run() const { return why_not_run().isEmpty(); }
    /// Returns why the task cannot run; empty if it can.
    QString why_not_run() const { return valid_ ? run_obstacle() : problem_; }
    /// Returns the problem in one line; empty if there is none.
    const QString& problem() const { return problem_; }
    /// Returns the message below the field with this key; empty if the field is valid.
    QString message(const std::string& key) const;
    /// Sets whether there is a cluster on which the task can run.
    void set_connected(bool connected);
    /// Sets the reason, as a sentence, why the user is not permitted to run tasks on the cluster; empty if this is
    /// permitted.
    void set_forbidden(const QString& why);
    /// Sets the focus to the first field.
    void begin();
    /// Returns whether all fields that apply to the task are shown.
    bool shows_all() const { return shows_all_; }
    void set_all(bool all);

Q_SIGNALS:
    void modelChosen();  ///< a field of the model section, which names the model, has changed
    void saveRequested();
    void runRequested();
    void validityChanged();
    /// The user wants to see all fields, or only the important ones.
    void allChanged(bool all);

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    struct Row {
        std::string key;
        const TaskField* field = nullptr;  ///< field of the row; null for the choice of a model
        const QLabel* heading = nullptr;
        QLabel* label = nullptr;
        QWidget* editor = nullptr;  ///< widget that shows and edits the value
        QWidget* whole = nullptr;   ///< widget that contains the editor, the browse button and the message
        QLabel* message = nullptr;
        QLabel* help = nullptr;  ///< label below the editor, unless there is a message
        /// whether the field was invalid while only the important fields are shown; the field stays visible while the
        /// user corrects it
        bool was_wrong = false;
    };

    void build();
    void build_model_section();
    void build_sizes();
    void align_labels();
    void add_size(const graph::ZooSize& size);
    void show_sizes();
    void name_sizes();
    QString help_of(const Row& row) const;
    QLineEdit* make_line();
    Row& add_row(const std::string& key, QWidget* editor, const TaskField* field, bool is_path);
    QWidget* make_editor(const TaskField& field);
    void add_heading(const char* text);
    void show_spec();
    void edit_field(const TaskField& field, QWidget* editor);
    void choose_kind(task::TaskSpec spec);
    void edit_size(const std::string& size, const QString& text);
    void choose_zoo();
    void browse(const TaskField& field, QLineEdit* line);
    void check();
    QString reading_problem(const std::string& key) const;
    QString run_obstacle() const;
    void show_help();
    void show_summary();
    void show_message(Row& row, const QString& text);
    void retranslate();

    model::TaskDraft& draft_;
    model::GraphDocument& document_;
    model::TaskCheck& check_;
    QGridLayout* form_;  ///< not a QFormLayout, which in Qt 6.4 writes out of bounds if rows with wrapped texts are
                         ///< hidden
    QComboBox* zoo_;
    std::vector<Row> rows_;
    std::vector<std::pair<QLabel*, const char*>> headings_;
    std::string sized_;  ///< name of the zoo model whose sizes are shown
    struct SizeRow {
        const graph::ZooSize* size;
        QLabel* label;
        QLineEdit* line;
        QLabel* help;
    };
    std::vector<SizeRow> sizes_;
    QWidget* size_box_;
    QGridLayout* size_form_;
    QLabel *size_message_, *summary_;
    QPushButton *more_, *save_, *run_;
    std::string chosen_file_;  ///< ONNX file before the zoo model was chosen
    QString problem_;
    bool valid_ = false;
    bool connected_ = false;
    bool shows_all_ = false;
    bool size_was_wrong_ = false;
    QString forbidden_;
};

}  // namespace divisi::panels
