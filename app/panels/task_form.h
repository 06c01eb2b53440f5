// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <QWidget>
#include <map>
#include <vector>

#include "app/model/task_draft.h"
#include "app/panels/task_fields.h"

namespace divisi::panels {

/// The New task form: model, data, training and split. Every change is checked at once; a message stands
/// under the field it concerns.
class TaskForm : public QWidget {
    Q_OBJECT
public:
    TaskForm(model::TaskDraft& draft, model::GraphDocument& document, QWidget* parent = nullptr);

    bool valid() const { return valid_; }
    /// The message shown under a field, by its key; empty when it is right.
    QString message(const std::string& key) const;
    /// Whether there is a cluster that Run could go to.
    void set_connected(bool connected);
    /// Checks the draft anew and shows what is wrong.
    void check();

Q_SIGNALS:
    void modelWanted(const divisi::model::ModelSource& source);
    void saveRequested();
    void runRequested();
    void validityChanged();

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Row {
        std::string key;
        const TaskField* field = nullptr;  ///< null for rows of the model section
        QLabel* label = nullptr;
        QWidget* editor = nullptr;  ///< what holds the value
        QWidget* whole = nullptr;   ///< editor, browse button and message
        QLabel* message = nullptr;
    };

    void build();
    void build_model_section();
    void build_sizes();
    Row& add_row(const std::string& key, QWidget* editor, const TaskField* field, bool is_path);
    QWidget* make_editor(const TaskField& field);
    void add_heading(const char* text);
    void show_spec();
    void read_spec();
    void choose_model();
    void edited();
    void browse(const std::string& key, QLineEdit* line);
    void show_message(Row& row, const QString& text);
    void retranslate();

    model::TaskDraft& draft_;
    model::GraphDocument& document_;
    QFormLayout* form_;
    QComboBox* zoo_;
    QLineEdit *name_, *onnx_;
    std::vector<Row> rows_;
    std::vector<std::pair<QLabel*, const char*>> headings_;
    std::vector<std::pair<std::string, QLineEdit*>> sizes_;
    QWidget* size_box_;
    QFormLayout* size_form_;
    QLabel *size_message_, *summary_;
    QPushButton *save_, *run_;
    std::map<std::string, QString> typed_;  ///< what could not even be read as a value
    QTimer model_timer_;
    bool showing_ = false;  ///< the editors are being filled: no edits
    bool valid_ = false;
    bool connected_ = false;
};

}  // namespace divisi::panels
