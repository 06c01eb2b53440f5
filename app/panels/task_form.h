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

#include "app/model/task_check.h"
#include "app/model/task_draft.h"
#include "app/panels/task_fields.h"
#include "backend/graph/zoo.h"

namespace divisi::panels {

/// The New task form: model, data, training and split. Every change is one undo step of its own field, and is checked
/// at once; a message stands under the field it concerns. The few fields that matter first show, the others once they
/// are asked for, or where one is wrong.
class TaskForm : public QWidget {
    Q_OBJECT
public:
    TaskForm(model::TaskDraft& draft, model::GraphDocument& document, model::TaskCheck& check,
             QWidget* parent = nullptr);

    /// Whether all fields are right: the task can be saved.
    bool valid() const { return valid_; }
    /// Whether the task can be run: it is right, its model is on screen, and there is a cluster.
    bool can_run() const { return why_not_run().isEmpty(); }
    /// Why it cannot; empty where it can.
    QString why_not_run() const { return valid_ ? run_obstacle() : problem_; }
    /// What is wrong, in one line; empty when nothing is.
    const QString& problem() const { return problem_; }
    /// The message shown under a field, by its key; empty when it is right.
    QString message(const std::string& key) const;
    /// Whether there is a cluster that Run could go to.
    void set_connected(bool connected);
    /// Why nothing may be run there, in a sentence; empty where it may.
    void set_forbidden(const QString& why);
    /// Puts the keyboard into its first field.
    void begin();
    /// Whether all fields show that mean something for the task.
    bool shows_all() const { return shows_all_; }
    void set_all(bool all);

Q_SIGNALS:
    void modelChosen();  ///< in the model section, which says which
    void saveRequested();
    void runRequested();
    void validityChanged();
    /// Somebody wants to see all fields, or fewer.
    void allChanged(bool all);

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    struct Row {
        std::string key;
        const TaskField* field = nullptr;  ///< null for the choice of a model
        const QLabel* heading = nullptr;
        QLabel* label = nullptr;
        QWidget* editor = nullptr;  ///< what holds the value
        QWidget* whole = nullptr;   ///< editor, browse button and message
        QLabel* message = nullptr;
        QLabel* help = nullptr;  ///< below the editor, where no message is
        bool was_wrong = false;  ///< since fewer fields show: it does not go from under the hand that mends it
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
    QGridLayout* form_;  ///< QFormLayout 6.4 writes beyond its end where rows with wrapped texts are hidden
    QComboBox* zoo_;
    std::vector<Row> rows_;
    std::vector<std::pair<QLabel*, const char*>> headings_;
    std::string sized_;  ///< the zoo model that sizes_ are of
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
    std::string chosen_file_;  ///< the ONNX file before a zoo model was chosen
    QString problem_;
    bool valid_ = false;
    bool connected_ = false;
    bool shows_all_ = false;
    bool size_was_wrong_ = false;
    QString forbidden_;
};

}  // namespace divisi::panels
